package methods

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ebb-energy/ebb/internal/app/config"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/internal/network"
)

// cardOf returns the network card of the configuration. The error names what is missing.
func cardOf(c *config.Config, fs *sysfs.FS) (*network.Card, string, error) {
	if c.CardPower == 0 {
		return nil, "", errors.New("the configuration has no network.card_power")
	}
	card, source := network.Card{Mbps: c.LinkMbps, Power: c.CardPower}, "given"
	if card.Mbps == 0 {
		var err error
		if card.Mbps, source, err = linkSpeed(fs); err != nil {
			return nil, "", err
		}
	}
	return &card, source, card.Check()
}

// linkSpeed returns the speed of the only card that is up, and the kernel's attribute with it.
func linkSpeed(fs *sysfs.FS) (mbps int, attribute string, err error) {
	const dir = "class/net"
	names, err := fs.Names(dir)
	if err != nil {
		return 0, "", fmt.Errorf(
			"look for network cards: %w; the configuration can set network.link_mbps", err,
		)
	}
	var found []string
	for _, name := range names {
		if _, err := fs.Names(dir + "/" + name + "/device"); err != nil {
			continue // a virtual card
		}
		if state, err := fs.Read(dir + "/" + name + "/operstate"); err != nil ||
			strings.TrimSpace(state) != "up" {
			continue
		}
		found = append(found, name)
	}
	switch {
	case len(found) == 0:
		return 0, "", errors.New(
			"no network card is up; the configuration can set network.link_mbps",
		)
	case len(found) > 1:
		return 0, "", fmt.Errorf(
			"several network cards are up (%s): the configuration must set network.link_mbps",
			strings.Join(found, ", "),
		)
	}
	attribute = dir + "/" + found[0] + "/speed"
	speed, err := fs.ReadInt(attribute)
	if err != nil || speed <= 0 {
		return 0, "", fmt.Errorf(
			"the kernel does not know the speed of %s: the configuration must set "+
				"network.link_mbps", found[0],
		)
	}
	return int(speed), attribute, nil
}

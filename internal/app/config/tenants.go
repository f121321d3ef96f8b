package config

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/ebb-energy/ebb/internal/safefile"
	"github.com/ebb-energy/ebb/units"
)

// Bounds of a file of tenants. There may be many tenants, so the file may be long. The TOML library
// takes long for nesting, which is bounded apart: dots and brackets of a line, brackets of the
// file.
const (
	MaxTenants      = 4096 // as many as the kernel's programs distinguish
	maxTenantsBytes = 1 << 20
	maxTenantsLine  = 512
	maxTenantName   = 64
	maxNested       = 16
	maxBrackets     = 2 * MaxTenants
)

// Rest is the clock for programs that are no tenant's.
type Rest string

const (
	// RestHighest: they count as a tenant that wishes for the highest clock.
	RestHighest Rest = "highest"
	// RestBackground: they run at the clock that the tenants want.
	RestBackground Rest = "background"
	// RestSystemEnergy: they count as a tenant whose objective is the system's energy.
	RestSystemEnergy Rest = "system-energy"
)

// Tenant is a program, or group of programs, with a budget of its own.
type Tenant struct {
	Name string
	// Unit (a systemd unit), Cgroup (a path) or PID names the threads; one of them is set.
	Unit, Cgroup string
	PID          int
	// Slowdown is its budget, valid with Budget. Objective is "" or MinimizeSystemEnergy. A tenant
	// without either runs at the highest clock.
	Slowdown  units.Slowdown
	Budget    bool
	Objective string
}

// Tenants is a file of tenants.
type Tenants struct {
	Tenants []Tenant // in the order of the file, at least one
	Rest    Rest
}

// LoadTenants reads a file of tenants. An error names the file and, where it can, the line and the
// key, and says what was wanted.
func LoadTenants(name string) (Tenants, error) {
	f, err := safefile.Open(name)
	if err != nil {
		return Tenants{}, fmt.Errorf("tenants: %w", err)
	}
	defer f.Close() // opened for reading: nothing can be lost
	return DecodeTenants(f, name)
}

// DecodeTenants reads a file's text; name stands for the file in errors.
func DecodeTenants(r io.Reader, name string) (Tenants, error) {
	t, err := DecodePart(r, name)
	if err != nil {
		return Tenants{}, err
	}
	t.Rest = cmp.Or(t.Rest, RestHighest)
	if err := t.Validate(); err != nil {
		return Tenants{}, fmt.Errorf("tenants %s: %w", name, err)
	}
	return t, nil
}

// DecodePart is DecodeTenants for a file that is one of several, which need not have a tenant. Rest
// is empty where the file does not say it.
func DecodePart(r io.Reader, name string) (Tenants, error) {
	text, err := bounded(r)
	if err != nil {
		return Tenants{}, fmt.Errorf("tenants %s: %w", name, err)
	}
	t := Tenants{}
	if err := t.decode(text); err != nil {
		return Tenants{}, fmt.Errorf("tenants %s: %w", name, plain(err))
	}
	if err := t.check(); err != nil {
		return Tenants{}, fmt.Errorf("tenants %s: %w", name, err)
	}
	return t, nil
}

// bounded reads a text that keeps the bounds.
func bounded(r io.Reader) (string, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxTenantsBytes+1))
	if err != nil {
		return "", err
	}
	if len(text) > maxTenantsBytes {
		return "", fmt.Errorf("longer than %d bytes", maxTenantsBytes)
	}
	line, all := 1, 0
	for l := range strings.Lines(string(text)) {
		brackets := strings.Count(l, "[") + strings.Count(l, "{")
		all += brackets
		switch {
		case len(l) > maxTenantsLine:
			return "", fmt.Errorf("line %d: longer than %d bytes", line, maxTenantsLine)
		case brackets+strings.Count(l, ".") > maxNested:
			return "", fmt.Errorf("line %d: more than %d dots and brackets", line, maxNested)
		case all > maxBrackets:
			return "", fmt.Errorf("line %d: more than %d brackets so far", line, maxBrackets)
		}
		line++
	}
	return string(text), nil
}

// taker receives a key's value from the TOML library, which adds key and line to its error.
type taker func(data any) error

// UnmarshalTOML implements toml.Unmarshaler.
func (t taker) UnmarshalTOML(data any) error { return t(data) }

// tenantsDecoder goes through a file's keys in their order. It decodes each table once.
type tenantsDecoder struct {
	meta   *toml.MetaData
	top    table
	of     map[string]table // tables by "tenant", "machine", and "tenant.NAME"
	places map[string]int   // indexes of tenants, by name
	t      *Tenants
}

func (t *Tenants) decode(text string) error {
	d := tenantsDecoder{t: t, of: map[string]table{}, places: map[string]int{}}
	meta, err := toml.Decode(text, &d.top)
	if err != nil {
		return err
	}
	d.meta = &meta
	for _, k := range meta.Keys() {
		if err := d.key(k); err != nil {
			return err
		}
	}
	return nil
}

// key takes the value of a key. A key with others below it may still be no table.
func (d *tenantsDecoder) key(k toml.Key) error {
	switch k[0] {
	case "tenant":
		if err := d.table(d.top, "tenant", "tenant", "[tenant.NAME]"); err != nil || len(k) == 1 {
			return err
		}
		if err := d.tenant(k[1]); err != nil || len(k) == 2 {
			return err
		}
		return d.field(k[1], k[2])
	case "machine":
		if err := d.table(d.top, "machine", "machine", "[machine]"); err != nil || len(k) == 1 {
			return err
		}
		if k[1] == "rest" {
			return d.take(d.of["machine"]["rest"], (*string)(&d.t.Rest))
		}
		return d.unknown(d.of["machine"][k[1]], k[1], "rest")
	}
	return d.unknown(d.top[k[0]], k[0], "tenant", "machine")
}

// table decodes the table at a key of from and files it under its whole name, unless it is there
// already. wanted says how such a table is written.
func (d *tenantsDecoder) table(from table, key, name, wanted string) error {
	if d.of[name] != nil {
		return nil
	}
	check := taker(func(data any) error {
		if _, ok := data.(map[string]any); !ok {
			return errors.New("is a table: write it as " + wanted)
		}
		return nil
	})
	if err := d.meta.PrimitiveDecode(from[key], &check); err != nil {
		return err
	}
	t := table{}
	if err := d.meta.PrimitiveDecode(from[key], &t); err != nil {
		return err
	}
	d.of[name] = t
	return nil
}

// tenant begins a tenant, unless it has begun.
func (d *tenantsDecoder) tenant(name string) error {
	if _, begun := d.places[name]; begun {
		return nil
	}
	if !tenantName(name) {
		return fmt.Errorf("%.80q is no name for a tenant: it wants 1 to %d letters, digits, "+
			"hyphens and underscores", name, maxTenantName)
	}
	err := d.table(d.of["tenant"], name, "tenant."+name, "[tenant."+name+"]")
	if err != nil {
		return err
	}
	d.places[name] = len(d.t.Tenants)
	d.t.Tenants = append(d.t.Tenants, Tenant{Name: name})
	return nil
}

func tenantName(name string) bool {
	other := func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			r == '-' || r == '_')
	}
	return name != "" && len(name) <= maxTenantName && !strings.ContainsFunc(name, other)
}

// field takes the value of a tenant's key.
func (d *tenantsDecoder) field(name, field string) error {
	t := &d.t.Tenants[d.places[name]]
	p := d.of["tenant."+name][field]
	switch field {
	case "unit":
		return d.take(p, &t.Unit)
	case "cgroup":
		return d.take(p, &t.Cgroup)
	case "pid":
		return d.pid(p, t)
	case "slowdown":
		t.Budget = true
		return d.take(p, &t.Slowdown)
	case "objective":
		return d.take(p, &t.Objective)
	}
	return d.unknown(p, field, "unit", "cgroup", "pid", "slowdown", "objective")
}

// take stores a value. It refuses empty text, which says nothing.
func (d *tenantsDecoder) take(p toml.Primitive, dst any) error {
	store := taker(func(data any) error {
		if data == "" {
			return errors.New("is empty")
		}
		return assign(dst, data)
	})
	return d.meta.PrimitiveDecode(p, &store)
}

// pid stores a process's number.
func (d *tenantsDecoder) pid(p toml.Primitive, t *Tenant) error {
	store := taker(func(data any) error {
		err := assign(&t.PID, data)
		if err == nil && t.PID <= 0 {
			err = fmt.Errorf("%d is no process", t.PID)
		}
		return err
	})
	return d.meta.PrimitiveDecode(p, &store)
}

// unknown refuses a key that is none of the known ones.
func (d *tenantsDecoder) unknown(p toml.Primitive, name string, known ...string) error {
	refuse := taker(func(any) error {
		if near := Nearest(name, known); near != "" {
			return fmt.Errorf("no such key; did you mean %s?", near)
		}
		return fmt.Errorf("no such key; there are %s", strings.Join(known, ", "))
	})
	return d.meta.PrimitiveDecode(p, &refuse)
}

// Validate returns an error that names the tenant and says what is wrong with it.
func (t *Tenants) Validate() error {
	if len(t.Tenants) == 0 {
		return errors.New("no tenant: write [tenant.NAME] with a unit, a cgroup or a pid")
	}
	return t.check()
}

// check checks the tenants for Validate.
func (t *Tenants) check() error {
	if n := len(t.Tenants); n > MaxTenants {
		return fmt.Errorf("%d tenants, more than %d", n, MaxTenants)
	}
	rests := []string{string(RestHighest), string(RestBackground), string(RestSystemEnergy)}
	if err := oneOf("machine.rest", string(cmp.Or(t.Rest, RestHighest)), rests); err != nil {
		return err
	}
	whose := map[string]string{}
	for i := range t.Tenants {
		tenant := &t.Tenants[i]
		if err := tenant.validate(); err != nil {
			return fmt.Errorf("tenant %s: %w", tenant.Name, err)
		}
		who := tenant.threads()
		if other := whose[who]; other != "" {
			return fmt.Errorf("tenants %s and %s both have %.80s: its threads can be one's only",
				other, tenant.Name, who)
		}
		whose[who] = tenant.Name
	}
	return nil
}

func (t *Tenant) validate() error {
	ways := 0
	for _, given := range []bool{t.Unit != "", t.Cgroup != "", t.PID != 0} {
		if given {
			ways++
		}
	}
	switch {
	case ways != 1:
		return errors.New("wants one of unit, cgroup and pid")
	case t.PID < 0:
		return fmt.Errorf("pid %d is no process", t.PID)
	case strings.ContainsFunc(t.Unit+t.Cgroup, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return errors.New("its unit or cgroup has a control character")
	case strings.Contains(t.Unit, "/"):
		return fmt.Errorf("unit %.80q is a path: a cgroup's path is written as cgroup", t.Unit)
	case slices.Contains(strings.Split(t.Cgroup, "/"), ".."):
		return fmt.Errorf("cgroup %.80q has .. in it, which leads out of its place", t.Cgroup)
	case t.Budget && t.Objective != "":
		return errors.New("has a slowdown and an objective: one of them decides")
	case t.Objective != "" && t.Objective != MinimizeSystemEnergy:
		return fmt.Errorf("unknown objective %.80q: there is %s", t.Objective,
			MinimizeSystemEnergy)
	}
	return nil
}

// threads names the tenant's threads: the same text for the same unit, cgroup or process.
func (t *Tenant) threads() string {
	switch {
	case t.Unit != "":
		if path.Ext(t.Unit) == "" {
			return "unit " + t.Unit + ".service"
		}
		return "unit " + t.Unit
	case t.Cgroup != "":
		return "cgroup " + path.Join("/",
			strings.TrimPrefix(path.Clean(t.Cgroup)+"/", "/sys/fs/cgroup/"))
	}
	return fmt.Sprintf("process %d", t.PID)
}

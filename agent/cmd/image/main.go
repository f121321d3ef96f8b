// Command image makes an OCI image of static binaries, without a daemon and with the same bytes
// each time: image TAG DIRECTORY BINARY... writes the layout of an image (OCI image specification
// 1.1) for each processor that the binaries are for, and nothing else than the binaries is in it.
// Beside it, DIRECTORY-docker-ARCH.tar has the same image for docker load, which reads no layout.
package main

import (
	"archive/tar"
	"bytes"
	"debug/elf"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

func main() {
	if len(os.Args) < 4 {
		fmt.Fprintln(os.Stderr, "usage: image TAG DIRECTORY BINARY...")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2], os.Args[3:]); err != nil {
		fmt.Fprintf(os.Stderr, "image: %v\n", err)
		os.Exit(1)
	}
}

// architectures are Go's names for processors.
var architectures = map[elf.Machine]string{elf.EM_X86_64: "amd64", elf.EM_AARCH64: "arm64"}

// begin is the time of all that is in an image, so that its bytes are the same each time.
var begin = v1.Time{Time: time.Unix(0, 0).UTC()}

// write makes a layout with one index, which has an image for each processor.
func write(tag, directory string, binaries []string) error {
	of := map[string][]string{}
	for _, binary := range binaries {
		architecture, err := architectureOf(binary)
		if err != nil {
			return err
		}
		of[architecture] = append(of[architecture], binary)
	}
	named, err := name.NewTag(tag)
	if err != nil {
		return fmt.Errorf("name the image: %w", err)
	}
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, architecture := range slices.Sorted(maps.Keys(of)) {
		image, err := imageOf(architecture, of[architecture])
		if err != nil {
			return err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: image,
			Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux",
				Architecture: architecture}}})
		file := fmt.Sprintf("%s-docker-%s.tar", directory, architecture)
		if err := tarball.WriteToFile(file, named, image); err != nil {
			return fmt.Errorf("write %s: %w", file, err)
		}
	}
	path, err := layout.Write(directory, empty.Index)
	if err != nil {
		return fmt.Errorf("write the layout: %w", err)
	}
	// containerd and podman take the name from one each.
	return path.AppendIndex(index, layout.WithAnnotations(map[string]string{
		"io.containerd.image.name": tag, "org.opencontainers.image.ref.name": tag}))
}

// architectureOf is the processor that a binary is for. One that needs a loader is refused: the
// image has none.
func architectureOf(binary string) (string, error) {
	f, err := elf.Open(binary)
	if err != nil {
		return "", fmt.Errorf("read %s: %w", binary, err)
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			return "", fmt.Errorf("%s is no static binary", binary)
		}
	}
	architecture, ok := architectures[f.Machine]
	if !ok {
		return "", fmt.Errorf("%s is for %v: there are images for x86-64 and arm64", binary,
			f.Machine)
	}
	return architecture, nil
}

// imageOf is an image of one layer. It has no time and no entry point: a manifest names the
// command.
func imageOf(architecture string, binaries []string) (v1.Image, error) {
	text, err := layerOf(binaries)
	if err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(text)), nil
	}, tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return nil, fmt.Errorf("make the layer: %w", err)
	}
	image := mutate.MediaType(empty.Image, types.OCIManifestSchema1)
	image = mutate.ConfigMediaType(image, types.OCIConfigJSON)
	image, err = mutate.Append(image, mutate.Addendum{Layer: layer,
		History: v1.History{CreatedBy: "ebb's make image",
			Created: begin}})
	if err != nil {
		return nil, fmt.Errorf("make the image: %w", err)
	}
	file, err := image.ConfigFile()
	if err != nil {
		return nil, fmt.Errorf("make the image: %w", err)
	}
	file = file.DeepCopy()
	file.OS, file.Architecture, file.Created = "linux", architecture, begin
	file.Config.Env = []string{"PATH=/usr/local/bin"}
	file.Config.Labels = map[string]string{"org.opencontainers.image.title": "ebb",
		"org.opencontainers.image.licenses": "Apache-2.0"}
	return mutate.ConfigFile(image, file)
}

// layerOf is a tar of the binaries in /usr/local/bin, and of an empty /tmp.
func layerOf(binaries []string) ([]byte, error) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, d := range []struct {
		name string
		mode int64
	}{{"tmp/", 0o1777}, {"usr/", 0o755}, {"usr/local/", 0o755}, {"usr/local/bin/", 0o755}} {
		if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: d.name, Mode: d.mode,
			ModTime: begin.Time}); err != nil {
			return nil, err
		}
	}
	binaries = slices.Clone(binaries)
	slices.SortFunc(binaries, func(a, b string) int {
		return bytes.Compare([]byte(filepath.Base(a)), []byte(filepath.Base(b)))
	})
	for _, binary := range binaries {
		text, err := os.ReadFile(binary)
		if err != nil {
			return nil, err
		}
		if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Mode: 0o755,
			Name: "usr/local/bin/" + filepath.Base(binary), Size: int64(len(text)),
			ModTime: begin.Time}); err != nil {
			return nil, err
		}
		if _, err := w.Write(text); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

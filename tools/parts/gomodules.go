package parts

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// program is the package of the shipped program.
const program = "./cmd/tapedeck"

// platforms are the platforms for which the program is built.
var platforms = [][2]string{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}}

// listed is the output of "go list" for a package.
type listed struct {
	Dir      string
	Standard bool
	Module   *struct {
		Path, Version, Dir string
		Main               bool
	}
}

// Modules lists the modules that are linked on any platform, with their licences. root is the
// directory of the source.
func Modules(ctx context.Context, root string) ([]*Part, error) {
	parts, dirs := map[string]*Part{}, map[string][]string{}
	homes := map[string]string{}
	for _, on := range platforms {
		cmd := exec.CommandContext(ctx, "go", "list", "-deps", "-json=Dir,Standard,Module", program)
		cmd.Dir, cmd.Env = root, append(os.Environ(), "GOOS="+on[0], "GOARCH="+on[1], "CGO_ENABLED=0",
			"GOFLAGS=-mod=readonly")
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("list the modules of %s for %s: %w%s", program, on[0], err, stderrOf(err))
		}
		for d := json.NewDecoder(bytes.NewReader(out)); ; {
			var p listed
			if err := d.Decode(&p); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return nil, fmt.Errorf("list the modules of %s: %w", program, err)
			}
			if p.Standard || p.Module == nil || p.Module.Main {
				continue
			}
			id := p.Module.Path
			if parts[id] == nil {
				parts[id] = &Part{Kind: "golang", Name: id, Version: p.Module.Version}
				homes[id] = p.Module.Dir
			}
			for dir := p.Dir; ; dir = filepath.Dir(dir) { // a package may have its own licence
				dirs[id] = append(dirs[id], dir)
				if dir == p.Module.Dir || len(dir) <= len(p.Module.Dir) {
					break
				}
			}
		}
	}
	var all []*Part
	for id, p := range parts {
		slices.Sort(dirs[id])
		if err := p.readLegal(homes[id], slices.Compact(dirs[id])); err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	std, err := standardLibrary(ctx)
	if err != nil {
		return nil, err
	}
	all = append(all, std)
	slices.SortFunc(all, compare)
	return all, nil
}

// standardLibrary returns Go's library and runtime, in the version that builds the program.
func standardLibrary(ctx context.Context) (*Part, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("find Go's licence: %w", err)
	}
	p := &Part{Kind: "golang", Name: "std"}
	root := strings.TrimSpace(string(out))
	return p, p.readLegal(root, []string{root})
}

func stderrOf(err error) string {
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		return "\n" + string(e.Stderr)
	}
	return ""
}

// Linked lists the modules of a built program, with the hashes in the program and the licences of
// the known parts.
func Linked(binary string, known []*Part) (parts []*Part, err error) {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return nil, fmt.Errorf("modules of %s: %w", binary, err)
	}
	add := func(name, version, sum string) error {
		p := &Part{Kind: "golang", Name: name, Version: version}
		if text, ok := strings.CutPrefix(sum, "h1:"); ok {
			hash, err := base64.StdEncoding.DecodeString(text)
			if err != nil {
				return fmt.Errorf("hash of %s in %s: %w", name, binary, err)
			}
			p.Hash = hex.EncodeToString(hash)
		}
		i := slices.IndexFunc(known, func(k *Part) bool { return k.Name == name })
		if i < 0 {
			return fmt.Errorf("%s has the module %s, whose licence is not known: build it from this source", binary,
				name)
		}
		p.Licence = known[i].Licence
		parts = append(parts, p)
		return nil
	}
	for _, m := range info.Deps {
		if err := add(m.Path, m.Version, m.Sum); err != nil {
			return nil, err
		}
	}
	if err := add("std", strings.TrimPrefix(info.GoVersion, "go"), ""); err != nil {
		return nil, err
	}
	slices.SortFunc(parts, compare)
	return parts, nil
}

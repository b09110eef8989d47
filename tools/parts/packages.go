package parts

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Files of the pages' source: the paths of the packages in the bundle, which the build writes, and
// the versions that were installed.
const (
	web         = "dashboards/web"
	bundledFile = web + "/dist/packages.json"
	lockFile    = web + "/package-lock.json"
)

// ErrNotBuilt is wrapped by the error of Packages if the pages were not built.
var ErrNotBuilt = fmt.Errorf("%s is missing: build the pages with 'make ui'", bundledFile)

// Packages lists the npm packages with modules in the bundle, with their licences. root is the
// directory of the source.
func Packages(root string) ([]*Part, error) {
	var bundled []string
	text, err := os.ReadFile(filepath.Join(root, bundledFile))
	if err != nil {
		return nil, fmt.Errorf("%w (%w)", ErrNotBuilt, err)
	}
	if err := json.Unmarshal(text, &bundled); err != nil {
		return nil, fmt.Errorf("read %s: %w", bundledFile, err)
	}
	var lock struct {
		Packages map[string]struct {
			Version, Integrity string
			License            string
		}
	}
	if text, err = os.ReadFile(filepath.Join(root, lockFile)); err != nil {
		return nil, fmt.Errorf("read the versions of packages: %w", err)
	}
	if err := json.Unmarshal(text, &lock); err != nil {
		return nil, fmt.Errorf("read %s: %w", lockFile, err)
	}
	var parts []*Part
	for _, path := range bundled {
		locked, ok := lock.Packages[path]
		if !ok {
			return nil, fmt.Errorf("%s is in the bundle and not in %s: run 'npm ci' and build again", path, lockFile)
		}
		p := &Part{Kind: "npm", Name: path[strings.LastIndex(path, "node_modules/")+len("node_modules/"):],
			Version: locked.Version}
		if text, ok := strings.CutPrefix(locked.Integrity, "sha512-"); ok {
			hash, err := base64.StdEncoding.DecodeString(text)
			if err != nil {
				return nil, fmt.Errorf("hash of %s in %s: %w", path, lockFile, err)
			}
			p.Hash = hex.EncodeToString(hash)
		}
		dir := filepath.Join(root, web, path)
		if err := p.readLegal(dir, []string{dir}); err != nil {
			return nil, err
		}
		if len(p.Licence) == 0 && locked.License != "" { // a package may only name its licence
			p.Licence = []string{locked.License}
			p.Texts = append(p.Texts, Text{"package.json", "License: " + locked.License})
		}
		parts = append(parts, p)
	}
	slices.SortFunc(parts, compare)
	return parts, nil
}

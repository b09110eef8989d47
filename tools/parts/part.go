// Package parts lists the third-party parts of the shipped program: Go modules that are linked, and
// npm packages in the bundle of the pages. It checks their licences, and writes the licences and a
// software bill of materials.
package parts

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Part is a module or package that is shipped.
type Part struct {
	Kind    string // golang or npm, as in package URLs
	Name    string
	Version string
	Licence []string // SPDX identifiers; all of them apply
	Texts   []Text   // texts of its licences and notices
	Hash    string   // in hexadecimal: SHA-256 of a module's files (h1 of go.sum), SHA-512 of a package
}

// Text is a licence or a notice.
type Text struct{ File, Body string }

// PURL returns the package URL.
func (p *Part) PURL() string {
	return "pkg:" + p.Kind + "/" + strings.Replace(p.Name, "@", "%40", 1) + "@" + strings.ReplaceAll(p.Version, "+",
		"%2B")
}

// compare orders parts by kind, name and version.
func compare(a, b *Part) int {
	return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Version, b.Version))
}

// legal matches the names of files with licences and notices.
var legal = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents|unlicense)([.-].*)?$`)

// readLegal adds the licences and notices in directories to a part. root is the part's own
// directory.
func (p *Part) readLegal(root string, dirs []string) error {
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return fmt.Errorf("licences of %s: %w", p.Name, err)
		}
		for _, e := range entries {
			if e.IsDir() || !legal.MatchString(e.Name()) || strings.HasSuffix(e.Name(), ".go") {
				continue
			}
			body, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				return fmt.Errorf("licences of %s: %w", p.Name, err)
			}
			file, err := filepath.Rel(root, filepath.Join(dir, e.Name()))
			if err != nil {
				return fmt.Errorf("licences of %s: %w", p.Name, err)
			}
			p.add(Text{file, strings.TrimSpace(strings.ReplaceAll(string(body), "\r\n", "\n"))})
		}
	}
	slices.Sort(p.Licence)
	p.Licence = slices.Compact(p.Licence)
	return nil
}

func (p *Part) add(t Text) {
	p.Texts = append(p.Texts, t)
	p.Licence = append(p.Licence, identify(t.Body)...)
}

package parts

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// File is the file with the licences of all parts, in the directory of the source.
const File = "THIRD_PARTY_LICENCES"

const notices = `Licences of the parts of tapedeck that others wrote

Written by 'make licences'; a test fails when it is not current. The program has the Go modules
that are linked into it on any platform, and the npm packages that are in the bundle of its pages.

Not a part of the program: local mode runs ClickHouse (Apache-2.0), which 'make engine' downloads
as the npm package @chdb/lib-*, or which is installed on the machine.
`

// WriteNotices writes the list of parts and the texts of their licences, each text once.
func WriteNotices(w io.Writer, parts []*Part) error {
	var b strings.Builder
	b.WriteString(notices + "\n")
	width := 0
	for _, p := range parts {
		width = max(width, len(p.label()))
	}
	users := map[string][]string{} // labels of the parts, by licence text
	var texts []string
	for _, p := range parts {
		fmt.Fprintf(&b, "%-*s  %s\n", width, p.label(), strings.Join(p.Licence, " AND "))
		for _, t := range p.Texts {
			if users[t.Body] == nil {
				texts = append(texts, t.Body)
			}
			if by := p.label() + ": " + t.File; !slices.Contains(users[t.Body], by) {
				users[t.Body] = append(users[t.Body], by)
			}
		}
	}
	for _, text := range texts {
		b.WriteString("\n" + strings.Repeat("=", 80) + "\n" + strings.Join(users[text],
			"\n") + "\n" + strings.Repeat("-", 80) + "\n" + text + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// label returns the name of a part for the list.
func (p *Part) label() string {
	switch {
	case p.Name == "std":
		return "Go standard library and runtime"
	case p.Kind == "npm":
		return "npm " + p.Name + " " + p.Version
	}
	return p.Name + " " + p.Version
}

package redact

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"go.yaml.in/yaml/v3"
)

// Own holds the rules of a rules file.
type Own struct {
	Rules []Rule
	Paths []Path
}

// ownRule is a rule in a rules file: either keywords and a pattern, or a path.
type ownRule struct {
	ID       string   `yaml:"id"`
	Keywords []string `yaml:"keywords"`
	Pattern  string   `yaml:"pattern"`
	Before   string   `yaml:"before"`
	After    string   `yaml:"after"`
	Path     string   `yaml:"path"`
}

// ReadFile reads rules from a YAML file:
//
//	rules:
//	  - {id: acme-key, keywords: [acme_], pattern: "[a-z0-9]{32}"}
//	  - {id: tool-password, path: input.password}
//
// See Rule and Path for the fields.
func ReadFile(path string) (Own, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Own{}, err
	}
	return ParseRules(data)
}

// ParseRules parses the content of a rules file.
func ParseRules(data []byte) (Own, error) {
	var file struct {
		Rules []ownRule `yaml:"rules"`
	}
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	if err := d.Decode(&file); err != nil && !errors.Is(err, io.EOF) {
		return Own{}, err
	}
	if len(file.Rules) == 0 {
		return Own{}, errors.New("there are no rules in the file")
	}
	var own Own
	for i, r := range file.Rules {
		rule := Rule{ID: r.ID, Keywords: r.Keywords, Pattern: r.Pattern, Before: r.Before, After: r.After}
		switch {
		case !named.MatchString(r.ID):
			return Own{}, fmt.Errorf("rule %d: the id %q does not consist of lower-case letters, digits and dashes", i+1, r.ID)
		case (r.Path == "") == (r.Pattern == ""):
			return Own{}, fmt.Errorf("rule %s: it has either a path, or keywords and a pattern", r.ID)
		case r.Path != "":
			own.Paths = append(own.Paths, Path{r.ID, r.Path})
			continue
		}
		if _, err := rule.compile(); err != nil {
			return Own{}, err
		}
		own.Rules = append(own.Rules, rule)
	}
	return own, nil
}

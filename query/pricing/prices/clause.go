package prices

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Clause selects the names of models or providers to which an entry of a table applies. Exactly one
// field is set. Comparisons ignore case, except Regex.
type Clause struct {
	Equals     string   `json:"equals,omitempty"`
	StartsWith string   `json:"starts_with,omitempty"`
	EndsWith   string   `json:"ends_with,omitempty"`
	Contains   string   `json:"contains,omitempty"`
	Regex      string   `json:"regex,omitempty"` // unanchored; see pattern
	Or         []Clause `json:"or,omitempty"`
	And        []Clause `json:"and,omitempty"`

	pattern *pattern // compiled Regex
}

// clauseDepth bounds the nesting of clauses in a file.
const clauseDepth = 16

// UnmarshalJSON implements json.Unmarshaler. Unknown fields are errors.
func (c *Clause) UnmarshalJSON(text []byte) error {
	type plain Clause
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode((*plain)(c)); err != nil {
		return fmt.Errorf("match: %w", err)
	}
	return c.compile(0)
}

// compile checks the clause and compiles its expressions.
func (c *Clause) compile(depth int) (err error) {
	if depth > clauseDepth {
		return fmt.Errorf("match: clauses are nested more than %d deep", clauseDepth)
	}
	set := 0
	for _, text := range []string{c.Equals, c.StartsWith, c.EndsWith, c.Contains, c.Regex} {
		if text != "" {
			set++
		}
	}
	if c.Or != nil {
		set++
	}
	if c.And != nil {
		set++
	}
	if set != 1 {
		return errors.New("match: a clause has exactly one of equals, starts_with, ends_with, contains, regex, or, and")
	}
	if c.Regex != "" {
		if c.pattern, err = compilePattern(c.Regex); err != nil {
			return fmt.Errorf("match: regex %q: %w", c.Regex, err)
		}
	}
	for _, parts := range [][]Clause{c.Or, c.And} {
		for i := range parts {
			if err := parts[i].compile(depth + 1); err != nil {
				return err
			}
		}
	}
	return nil
}

// Matches reports whether the clause matches a name.
func (c *Clause) Matches(name string) bool { return c.matches(name, strings.ToLower(name)) }

func (c *Clause) matches(name, lower string) bool {
	switch {
	case c.Or != nil:
		for i := range c.Or {
			if c.Or[i].matches(name, lower) {
				return true
			}
		}
		return false
	case c.And != nil:
		for i := range c.And {
			if !c.And[i].matches(name, lower) {
				return false
			}
		}
		return true
	case c.Equals != "":
		return lower == strings.ToLower(c.Equals)
	case c.StartsWith != "":
		return strings.HasPrefix(lower, strings.ToLower(c.StartsWith))
	case c.EndsWith != "":
		return strings.HasSuffix(lower, strings.ToLower(c.EndsWith))
	case c.Contains != "":
		return strings.Contains(lower, strings.ToLower(c.Contains))
	default:
		return c.pattern.matches(name)
	}
}

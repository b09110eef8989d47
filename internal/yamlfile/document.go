// Package yamlfile reads YAML files for people: each problem is reported with its line, unknown and
// repeated keys are problems, and aliases are refused.
package yamlfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"
	"go.yaml.in/yaml/v3"

	"tapedeck/internal/nearest"
)

const (
	maxFile     = 1 << 20 // bytes
	maxProblems = 20
)

// Document reads the nodes of a YAML file and collects its problems.
type Document struct {
	File     string
	Problems []error
}

// Wrong reports a problem with the file, the line and the key.
func (d *Document) Wrong(n *yaml.Node, at, format string, args ...any) {
	if len(d.Problems) >= maxProblems {
		return
	}
	what := fmt.Sprintf(format, args...)
	if at != "" {
		what = at + ": " + what
	}
	d.Problems = append(d.Problems, fmt.Errorf("%s:%d: %s", d.File, n.Line, what))
}

// Root reads the file and returns its mapping, nil if it has none.
func (d *Document) Root() (*yaml.Node, error) {
	f, err := os.Open(d.File)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxFile {
		return nil, fmt.Errorf("%s has more than %d bytes", d.File, maxFile)
	}
	decoder := yaml.NewDecoder(strings.NewReader(string(text)))
	var doc, second yaml.Node
	if err := decoder.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%s is empty", d.File)
		}
		return nil, fmt.Errorf("%s: it is not YAML: %s", d.File, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if err := decoder.Decode(&second); !errors.Is(err, io.EOF) {
		d.Wrong(&second, "", "there is a second document; write one")
	}
	if n := firstAlias(&doc); n != nil {
		return nil, fmt.Errorf("%s:%d: the alias *%s: aliases are not supported, write the value", d.File, n.Line, n.Value)
	}
	return doc.Content[0], nil
}

// firstAlias returns the first alias of a document; nil if it has none. A small file could name large values
// by aliases of aliases.
func firstAlias(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n
	}
	for _, child := range n.Content {
		if found := firstAlias(child); found != nil {
			return found
		}
	}
	return nil
}

// Field reads the value of a key; at is the full name of the key.
type Field func(n *yaml.Node, at string)

// Object calls the readers of the keys of a mapping, each at most once.
func (d *Document) Object(n *yaml.Node, at string, known map[string]Field) {
	names := make([]string, 0, len(known))
	for name := range known {
		names = append(names, name)
	}
	slices.Sort(names)
	d.Members(n, at, func(key, value *yaml.Node, below string) {
		if read := known[key.Value]; read != nil {
			read(value, below)
			return
		}
		hint := "; known keys: " + strings.Join(names, ", ")
		if near := nearest.Typo(key.Value, names); near != "" {
			hint = fmt.Sprintf("; did you mean %q?", near)
		}
		d.Wrong(key, at, "unknown key %q%s", key.Value, hint)
	})
}

// Members calls see with each key of a mapping once, and the full name of the key.
func (d *Document) Members(n *yaml.Node, at string, see func(key, value *yaml.Node, below string)) {
	if n.Kind != yaml.MappingNode {
		d.Wrong(n, at, "this must be a mapping, as \"key: value\"")
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if seen[key.Value] {
			d.Wrong(key, at, "the key %q is here twice", key.Value)
			continue
		}
		seen[key.Value] = true
		below := key.Value
		if at != "" {
			below = at + "." + below
		}
		see(key, value, below)
	}
}

// Items calls read with each item of a list that is not empty.
func (d *Document) Items(n *yaml.Node, at string, read Field) {
	if n.Kind != yaml.SequenceNode || len(n.Content) == 0 {
		d.Wrong(n, at, "this must be a list, whose items begin with \"- \"")
		return
	}
	for i, item := range n.Content {
		read(item, fmt.Sprintf("%s[%d]", at, i))
	}
}

func (d *Document) Text(n *yaml.Node, at string) string {
	if n.Kind != yaml.ScalarNode || n.Value == "" || n.Tag == "!!null" {
		d.Wrong(n, at, "this must be a text")
		return ""
	}
	return n.Value
}

func (d *Document) Texts(n *yaml.Node, at string) (list []string) {
	d.Items(n, at, func(n *yaml.Node, at string) { list = append(list, d.Text(n, at)) })
	return list
}

func (d *Document) Yes(n *yaml.Node, at string) bool {
	if n.Value != "true" && n.Value != "false" {
		d.Wrong(n, at, "this must be true or false")
	}
	return n.Value == "true"
}

func (d *Document) Count(n *yaml.Node, at string) int64 {
	v, err := strconv.ParseInt(n.Value, 10, 64)
	if err != nil || v < 0 || n.Kind != yaml.ScalarNode {
		d.Wrong(n, at, "this must be a whole number from 0")
	}
	return v
}

func (d *Document) Duration(n *yaml.Node, at string) time.Duration {
	v, err := time.ParseDuration(n.Value)
	if err != nil || v < 0 || n.Kind != yaml.ScalarNode {
		d.Wrong(n, at, "this must be a duration such as 1.5s or 2m")
	}
	return v
}

var amount = regexp.MustCompile(`^\d{1,12}(\.\d{1,12})?$`)

func (d *Document) Amount(n *yaml.Node, at string) decimal.Decimal {
	if n.Kind != yaml.ScalarNode || !amount.MatchString(n.Value) {
		d.Wrong(n, at, "this must be an amount such as 0.25")
		return decimal.Zero
	}
	return decimal.RequireFromString(n.Value)
}

func (d *Document) Regexp(n *yaml.Node, at string) *regexp.Regexp {
	re, err := regexp.Compile(d.Text(n, at))
	if err != nil {
		d.Wrong(n, at, "%v", err)
	}
	return re
}

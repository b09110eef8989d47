package settings

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"tapedeck/internal/nearest"
)

// entry is a setting in a file.
type entry struct {
	line  int
	value any // string, bool or []any of strings
}

// readFile reads a configuration file: a mapping from setting names, which equal the names of
// flags, to values or lists of values. known holds the settings of the command. others maps the
// settings of other commands to the names of these commands. All problems of the file are reported
// together.
func readFile(path string, known []string, others map[string]string) (map[string]entry, []problem) {
	text, err := fileText(path)
	if err != nil {
		return nil, []problem{{0, err}}
	}
	decoder := yaml.NewDecoder(strings.NewReader(string(text)))
	var doc yaml.Node
	if err := decoder.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) { // only comments
			return nil, nil
		}
		return nil, []problem{{0, fmt.Errorf("--config %s: it is not YAML: %s", path, strings.TrimPrefix(err.Error(), "yaml: "))}}
	}
	if decoder.Decode(&yaml.Node{}) == nil {
		return nil, []problem{{0, fmt.Errorf("--config %s: it has more than one document; write all settings into one", path)}}
	}
	root := doc.Content[0]
	if root.Kind == yaml.ScalarNode && root.Tag == "!!null" {
		return nil, nil
	}
	if root.Kind != yaml.MappingNode {
		return nil, []problem{{0, fmt.Errorf("%s:%d: it must be a mapping of settings, like \"max-streams: 100\"", path, root.Line)}}
	}
	entries := map[string]entry{}
	var problems []problem
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, node := root.Content[i], root.Content[i+1]
		at := fmt.Sprintf("%s:%d: ", path, key.Line)
		first, twice := entries[key.Value]
		switch {
		case twice:
			problems = append(problems, problem{key.Line, fmt.Errorf("%s%s stands in line %d already; remove one", at, key.Value, first.line)})
			continue
		case !slices.Contains(known, key.Value):
			problems = append(problems, problem{key.Line, fmt.Errorf("%s%s", at, unknownKey(key.Value, known, others))})
			continue
		}
		value, err := scalarOrList(node)
		if err != nil {
			problems = append(problems, problem{key.Line, fmt.Errorf("%s%s: %w", at, key.Value, err)})
		}
		entries[key.Value] = entry{key.Line, value}
	}
	return entries, problems
}

// unknownKey describes a key that is not a setting of the command.
func unknownKey(key string, known []string, others map[string]string) string {
	if command := others[key]; command != "" {
		return fmt.Sprintf("%s is a setting of %s only", key, command)
	}
	text := fmt.Sprintf("there is no setting %q", key)
	name := strings.TrimLeft(strings.ReplaceAll(key, "_", "-"), "-")
	if near := nearest.Names(name, known, 1, max(len(name)/4, 1)); len(near) > 0 {
		text += fmt.Sprintf("; did you mean %q?", near[0])
	}
	return text
}

// scalarOrList returns the value of a node in the form that the flag's parser accepts.
func scalarOrList(n *yaml.Node) (any, error) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	switch {
	case n.Kind == yaml.MappingNode:
		return nil, errors.New("it must be a value, not a mapping")
	case n.Kind == yaml.ScalarNode && n.Tag == "!!null":
		return nil, errors.New("it has no value; remove the line for the default")
	case n.Kind == yaml.ScalarNode:
		return n.Value, nil
	}
	list := []any{}
	for _, item := range n.Content {
		if item.Kind == yaml.AliasNode {
			item = item.Alias
		}
		if item.Kind != yaml.ScalarNode || item.Tag == "!!null" {
			return nil, errors.New("it must be a list of values")
		}
		list = append(list, item.Value)
	}
	return list, nil
}

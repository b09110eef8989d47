package prices

import (
	_ "embed"
	"sync"

	"go.yaml.in/yaml/v3"
)

// overlayFile has the rules for prices that the built-in table lacks, each with its source.
//
//go:embed overlay.yaml
var overlayFile string

// Overlay returns the program's rules for prices that its table lacks.
var Overlay = sync.OnceValue(func() []Rule {
	rules, err := readOverlay("overlay.yaml", overlayFile)
	if err != nil {
		panic(err) // TestOverlay parses the same text
	}
	return rules
})

func readOverlay(name, text string) (rules []Rule, err error) {
	r := &fileReader{file: name}
	if top := r.document(text); top != nil {
		r.fields(top, "", map[string]field{
			"rules": func(n *yaml.Node, path string) { rules = r.readRules(n, path, overlay) },
		})
	}
	if len(r.errors) > 0 {
		return nil, r.errors
	}
	return rules, nil
}

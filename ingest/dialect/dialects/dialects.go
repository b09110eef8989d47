// Package dialects knows all dialects: by name, and by the first frames of a
// stream.
package dialects

import (
	"fmt"
	"slices"
	"strings"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/agui"
	"tapedeck/ingest/dialect/anthropic"
	"tapedeck/ingest/dialect/anthropicagent"
	"tapedeck/ingest/dialect/claudecode"
	"tapedeck/ingest/dialect/codex"
	"tapedeck/ingest/dialect/compozy"
	"tapedeck/ingest/dialect/gemini"
	"tapedeck/ingest/dialect/geminicli"
	"tapedeck/ingest/dialect/generic"
	"tapedeck/ingest/dialect/langgraph"
	"tapedeck/ingest/dialect/loom"
	"tapedeck/ingest/dialect/openai"
	"tapedeck/ingest/dialect/opencode"
	"tapedeck/ingest/dialect/vercelui"
)

// all lists the dialects. Where a frame speaks as much for one as for another
// the one that stands first is taken, so that a protocol which wraps frames of
// another comes before that. generic is the last.
var all = wrappable([]dialect.Dialect{
	loom.Dialect,
	claudecode.Dialect,
	codex.Dialect,
	compozy.Dialect,
	vercelui.Dialect,
	agui.Dialect,
	geminicli.Dialect,
	gemini.Dialect,
	anthropicagent.Dialect,
	anthropic.Dialect,
	opencode.Dialect,
	openai.Responses,
	openai.Chat,
	langgraph.Dialect,
	generic.Dialect,
})

// All lists the dialects, generic last. The list is the caller's own.
func All() []dialect.Dialect { return slices.Clone(all) }

// ByName finds a dialect. The error of a name that is none lists those that are.
func ByName(name string) (dialect.Dialect, error) {
	names := make([]string, 0, len(all))
	for _, d := range all {
		if d.Name == name {
			return d, nil
		}
		names = append(names, d.Name)
	}
	return dialect.Dialect{}, fmt.Errorf("dialect %q is not one of %s", name, strings.Join(names, ", "))
}

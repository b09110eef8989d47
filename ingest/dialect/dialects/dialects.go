// Package dialects has the list of all dialects. It finds a dialect by name, or by the first
// frames of a stream.
package dialects

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/a2a"
	"tapedeck/ingest/dialect/acp"
	"tapedeck/ingest/dialect/adk"
	"tapedeck/ingest/dialect/agui"
	"tapedeck/ingest/dialect/anthropic"
	"tapedeck/ingest/dialect/anthropicagent"
	"tapedeck/ingest/dialect/bedrock"
	"tapedeck/ingest/dialect/claudecode"
	"tapedeck/ingest/dialect/codex"
	"tapedeck/ingest/dialect/codexappserver"
	"tapedeck/ingest/dialect/codexrollout"
	"tapedeck/ingest/dialect/cohere"
	"tapedeck/ingest/dialect/compozy"
	"tapedeck/ingest/dialect/gemini"
	"tapedeck/ingest/dialect/geminichat"
	"tapedeck/ingest/dialect/geminicli"
	"tapedeck/ingest/dialect/geminilive"
	"tapedeck/ingest/dialect/generic"
	"tapedeck/ingest/dialect/interactions"
	"tapedeck/ingest/dialect/langgraph"
	"tapedeck/ingest/dialect/loom"
	"tapedeck/ingest/dialect/mappings"
	"tapedeck/ingest/dialect/mcp"
	"tapedeck/ingest/dialect/ollama"
	"tapedeck/ingest/dialect/openai"
	"tapedeck/ingest/dialect/opencode"
	"tapedeck/ingest/dialect/otlp"
	"tapedeck/ingest/dialect/pi"
	"tapedeck/ingest/dialect/realtime"
	"tapedeck/ingest/dialect/vercelui"
)

// all lists the dialects. The first of several equally likely dialects is taken, so that a
// protocol that wraps frames of another comes before it. generic is the last.
var all = wrappable(slices.Concat([]dialect.Dialect{
	loom.Dialect,
	claudecode.Dialect,
	codexrollout.Dialect,
	codex.Dialect,
	codexappserver.Dialect,
	pi.Dialect,
	compozy.Dialect,
	vercelui.Dialect,
	agui.Dialect,
	geminicli.Dialect,
	geminichat.Dialect,
	adk.Dialect,
	geminilive.Dialect,
	gemini.Dialect,
	interactions.Dialect,
	bedrock.Dialect,
	anthropicagent.Dialect,
	anthropic.Dialect,
	opencode.Dialect,
	realtime.Dialect,
	cohere.Dialect,
	openai.Responses,
	openai.Chat,
	langgraph.Dialect,
	a2a.Dialect,
	acp.Dialect,
	mcp.Dialect,
	ollama.Dialect,
	otlp.Dialect,
}, mappings.All(), []dialect.Dialect{generic.Dialect}))

// custom lists the dialects of mapping files. They come before the others. As they are Likely at
// most, a dialect that is Certain still takes precedence.
var custom atomic.Pointer[[]dialect.Dialect]

// SetCustom replaces the dialects of mapping files. Streams that are being recorded keep their
// dialect. It returns an error if a name is not unique.
func SetCustom(list []dialect.Dialect) error {
	if err := CheckCustom(list); err != nil {
		return err
	}
	list = slices.Clone(list)
	custom.Store(&list)
	return nil
}

// CheckCustom returns the error of SetCustom without a change.
func CheckCustom(list []dialect.Dialect) error {
	names := map[string]bool{}
	for _, d := range all {
		names[d.Name] = true
	}
	for _, d := range list {
		if names[d.Name] {
			return fmt.Errorf("dialect %q: the name is taken; name the dialect of the file differently", d.Name)
		}
		names[d.Name] = true
	}
	return nil
}

// With returns all dialects after d.
func With(d dialect.Dialect) []dialect.Dialect { return append([]dialect.Dialect{d}, All()...) }

// All lists the dialects, generic last. The caller owns the list.
func All() []dialect.Dialect {
	if list := custom.Load(); list != nil {
		return append(slices.Clone(*list), all...)
	}
	return slices.Clone(all)
}

// ByName returns the dialect with a name. For an unknown name it returns an error that lists the
// known names, sorted.
func ByName(name string) (dialect.Dialect, error) {
	list := All()
	names := make([]string, 0, len(list))
	for _, d := range list {
		if d.Name == name {
			return d, nil
		}
		names = append(names, d.Name)
	}
	slices.Sort(names)
	return dialect.Dialect{}, fmt.Errorf("dialect %q is not one of %s; a dialect file adds another one", name, strings.Join(names, ", "))
}

package logevents

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

const head = `# Log events
<!-- Generated from the source and from tools/logevents by make reference -->

Servers, ` + "`tapedeck proxy`, `tapedeck emulate`" + ` and the recording commands log to standard error. This page lists every event. The message names
the event: filters and alerts may compare it as a whole, since it never contains values. What varies stands in attributes. A message or a level that changes is in the [changelog](../../CHANGELOG.md).

` + "`--log-format text` writes `time=… level=WARN msg=\"…\" key=value`, `--log-format json` an object for each line with the members `time`, `level`, `msg`" + ` and
the attributes. Durations are like ` + "`1.5s`" + ` in text, and whole nanoseconds in JSON. ` + "`--log-level`" + ` sets the lowest level that is written; the recording
commands write warnings and errors as text.

| level | means |
|---|---|
| error | Something failed and is not tried again, or does not succeed until a person acts. |
| warn | Something failed and is tried again, by the server or its client, or goes on with less: an answer is slower, a recording has a gap. |
| info | A step of the normal course. |
| debug | Details for finding a fault. |
`

// Page returns the reference as Markdown: the events by component, then the attributes.
func Page(events []Event) string {
	var b strings.Builder
	b.WriteString(head)
	component := ""
	for i, e := range events {
		if e.Component() != component {
			component = e.Component()
			fmt.Fprintf(&b, "\n## %s\n\nLogged by %s.\n\n| event | level | meaning | attributes |\n|---|---|---|---|\n",
				component, strings.Join(folders(events[i:], component), ", "))
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", cell(e.Message), e.Level, cell(meanings[e.Message]), strings.Join(quoted(e.Attributes), ", "))
	}
	b.WriteString("\n## Attributes\n\n| attribute | what it holds |\n|---|---|\n")
	for _, key := range slices.Sorted(maps.Keys(attributes)) {
		fmt.Fprintf(&b, "| `%s` | %s |\n", key, cell(attributes[key]))
	}
	return b.String()
}

// folders returns the folders that log the events of a component.
func folders(events []Event, component string) []string {
	var list []string
	for _, e := range events {
		if e.Component() == component {
			list = union(list, e.Folders)
		}
	}
	return quoted(list)
}

func quoted(list []string) []string {
	out := make([]string, 0, len(list))
	for _, s := range list {
		out = append(out, "`"+s+"`")
	}
	return out
}

// cell returns text for a cell of a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

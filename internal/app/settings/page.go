package settings

import (
	"fmt"
	"strings"
)

const pageHead = `# Settings

The settings of ` + "`tapedeck up` and `tapedeck serve`" + `. This page is generated from their declaration in
` + "`internal/app/settings` by `make reference`" + `; a test compares the two. [The guide](../operate/configuration.md) explains where settings are
written and which comes first.

A flag is ` + "`--NAME VALUE`, a variable `NAME=VALUE`, and in the configuration file it is `NAME: VALUE`" + ` with the name of the flag without
` + "`--`" + `. Sizes are numbers of bytes, or have a unit: ` + "`16MiB`, `1.5GiB`, `1GB`. Durations have a unit: `500ms`, `30s`, `12h`" + `. Lists are
separated by commas, or are lists in YAML. A variable with an empty value counts as not set.

*R*: a running server takes a new value from its configuration file; others need a restart. *S*: also read from the file that the
variable with ` + "`_FILE`" + ` behind its name names.
`

// Page returns the reference of all settings as Markdown.
func Page() string {
	var b strings.Builder
	b.WriteString(pageHead)
	group := ""
	for _, s := range List() {
		if s.Group != group {
			group = s.Group
			fmt.Fprintf(&b, "\n## %s\n\n| setting | variable | type | default | bounds | of | | |\n|---|---|---|---|---|---|---|---|\n", group)
		}
		marks := ""
		if s.Reload {
			marks += "R"
		}
		if s.Secret {
			marks += "S"
		}
		kind := s.Type
		if s.Unit != "" && s.Type != "size" && s.Type != "duration" && s.Type != "days" {
			kind += ", " + s.Unit
		}
		fmt.Fprintf(&b, "| `--%s` | `%s` | %s | %s | %s | %s | %s | %s |\n", s.Name, s.Variable, kind, code(s.Default), s.Bounds,
			strings.Join(s.Commands, ", "), marks, strings.ReplaceAll(s.Help, "|", `\|`))
	}
	return b.String()
}

func code(text string) string {
	if text == "" {
		return ""
	}
	return "`" + text + "`"
}

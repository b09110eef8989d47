package main

import (
	"strings"

	"tapedeck/internal/commandline"
)

// tagOf splits a tag in the form name=value or name:value at the first of the two characters.
func tagOf(text string) (name, value string, ok bool) {
	i := strings.IndexAny(text, "=:")
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+1:], true
}

// parseTags parses the tags of a recording.
func parseTags(list []string) (map[string]string, error) {
	tags := map[string]string{}
	for _, t := range list {
		name, value, ok := tagOf(t)
		if !ok || name == "" {
			return nil, commandline.Errorf("--tag %q: it must be of the form name=value or name:value", t)
		}
		if first, twice := tags[name]; twice && first != value {
			return nil, commandline.Errorf("--tag %q: the tag %s has the value %q already", t, name, first)
		}
		tags[name] = value
	}
	return tags, nil
}

// checkTags returns an error for a filter by a tag without a name.
func checkTags(flag string, list []string) error {
	for _, t := range list {
		if name, _, _ := tagOf(t); name == "" {
			return commandline.Errorf("%s %q: it must be of the form name=value, name=, or name", flag, t)
		}
	}
	return nil
}

// colonTags converts tags in filters to the form of the API.
func colonTags(list []string) []string {
	written := make([]string, len(list))
	for i, t := range list {
		name, value, ok := tagOf(t)
		if written[i] = name; ok {
			written[i] += ":" + value
		}
	}
	return written
}

package parts

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Allowed are the licences with which parts may be shipped. All of them permit distribution of the
// program under its own licence if their texts are included. MPL-2.0 is for modules that are linked
// unchanged; the module proxy provides their source.
var Allowed = []string{"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "ISC", "MIT", "MPL-2.0", "OFL-1.1",
	"Unlicense"}

// sign is a sentence that identifies a licence, with single spaces.
type sign struct{ id, text string }

var signs = []sign{
	{"Apache-2.0", "apache license version 2.0, january 2004"},
	{"Apache-2.0", "licensed under the apache license, version 2.0"},
	{"MIT", "permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files"},
	{"ISC", "permission to use, copy, modify, and/or distribute this software for any purpose with or without " +
		"fee is hereby granted, provided that the above copyright notice"},
	{"ISC", "permission to use, copy, modify, and distribute this software for any purpose with or without fee " +
		"is hereby granted, provided that the above copyright notice"},
	{"0BSD", "permission to use, copy, modify, and/or distribute this software for any purpose with or without " +
		"fee is hereby granted. the software is provided"},
	{"Unlicense", "this is free and unencumbered software released into the public domain"},
	{"CC0-1.0", "cc0 1.0 universal"},
	{"MPL-2.0", "mozilla public license version 2.0"},
	{"MPL-2.0", "mozilla public license, version 2.0"},
	{"GPL", "gnu general public license"},
	{"LGPL", "gnu lesser general public license"},
	{"AGPL", "gnu affero general public license"},
	{"EPL-2.0", "eclipse public license"},
	{"SSPL", "server side public license"},
	{"BUSL-1.1", "business source license"},
}

var (
	spaces = regexp.MustCompile(`[\s*#/=]+`)
	// quoted matches the names of other licences in the Apache licence's appendix and in MPL's
	// secondary licences.
	quoted = regexp.MustCompile(`appendix: how to apply the apache license.*|.secondary license. means.*?licenses\.`)
)

const (
	bsd       = "redistribution and use in source and binary forms, with or without modification, are permitted"
	bsdThird  = "endorse or promote products derived from"
	thirdName = "BSD-3-Clause"
	twoName   = "BSD-2-Clause"
)

// identify returns the SPDX identifiers of the licences in a text, none for a notice.
func identify(text string) (ids []string) {
	text = strings.ToLower(spaces.ReplaceAllString(text, " "))
	text = quoted.ReplaceAllString(text, "")
	for _, s := range signs {
		if strings.Contains(text, s.text) && !slices.Contains(ids, s.id) {
			ids = append(ids, s.id)
		}
	}
	if strings.Contains(text, bsd) {
		if strings.Contains(text, bsdThird) {
			ids = append(ids, thirdName)
		} else {
			ids = append(ids, twoName)
		}
	}
	return ids
}

// Check returns an error that lists the parts that must not be shipped: parts without a known
// licence, and parts with a licence that is not allowed.
func Check(parts []*Part) error {
	var bad []string
	for _, p := range parts {
		if len(p.Licence) == 0 {
			bad = append(bad, p.Name+": no licence was recognised in its files")
		}
		for _, id := range p.Licence {
			if !slices.Contains(Allowed, id) {
				bad = append(bad, fmt.Sprintf("%s: %s is not an allowed licence", p.Name, id))
			}
		}
	}
	if bad == nil {
		return nil
	}
	return fmt.Errorf("parts that must not be shipped (the list of allowed licences is in tools/parts):\n%s",
		strings.Join(bad, "\n"))
}

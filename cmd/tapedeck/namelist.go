package main

import (
	"net/url"

	"github.com/alecthomas/kong"
)

// nameList are the names of a flag that may be repeated or has several names with commas. An empty name
// stands for an unknown one.
type nameList []string

// Decode implements kong.MapperValue. kong's own lists have no empty value.
func (n *nameList) Decode(c *kong.DecodeContext) error {
	var text string
	if err := c.Scan.PopValueInto("name", &text); err != nil {
		return err
	}
	if text == "" {
		*n = append(*n, "")
		return nil
	}
	*n = append(*n, kong.SplitEscaped(text, ',')...)
	return nil
}

// setNames sets the query parameters of lists of names; a list that is empty sets none.
func setNames(q url.Values, params map[string]nameList) {
	for name, list := range params {
		if len(list) > 0 {
			q[name] = list
		}
	}
}

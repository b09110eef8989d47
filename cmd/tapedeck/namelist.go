package main

import (
	"net/url"

	"github.com/alecthomas/kong"
)

// nameList holds the names in a flag. The flag may be repeated, and a value may hold several names
// separated by commas. An empty name stands for an unknown name.
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

// setNames sets the query parameters of lists of names. An empty list sets none.
func setNames(q url.Values, params map[string]nameList) {
	for name, list := range params {
		if len(list) > 0 {
			q[name] = list
		}
	}
}

package assert

import (
	"errors"
	"strconv"
	"strings"
)

// ParseCalls reads a condition on the calls of a tool: NAME for at least one, NAME=N for exactly N,
// NAME=MIN..MAX, NAME=MIN.. or NAME=..MAX.
func ParseCalls(text string) (Calls, error) {
	tool, bounds, stated := strings.Cut(text, "=")
	c := Calls{Tool: tool}
	if tool == "" {
		return c, errors.New("the name of a tool is missing")
	}
	if !stated {
		bounds = "1.."
	}
	low, high, isRange := strings.Cut(bounds, "..")
	if !isRange {
		high = low
	}
	for _, of := range []struct {
		text string
		to   **int64
	}{{low, &c.Min}, {high, &c.Max}} {
		if of.text == "" && isRange {
			continue
		}
		n, err := strconv.ParseInt(of.text, 10, 64)
		if err != nil || n < 0 {
			return c, errors.New("after = comes a number of calls such as 2, 1..3, 1.. or ..3")
		}
		*of.to = &n
	}
	if c.Min == nil && c.Max == nil {
		return c, errors.New("after = comes a number of calls such as 2, 1..3, 1.. or ..3")
	}
	return c, nil
}

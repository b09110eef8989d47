package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"tapedeck/internal/console"
)

// list reads a list and passes each item to row. With --json it prints the list as one page
// instead, and shown stays 0.
func list[T any](ctx context.Context, g *global, path string, q url.Values, limit, most int, row func(*T)) (shown int, next *string, err error) {
	c, err := g.reader()
	if err != nil {
		return 0, nil, err
	}
	if g.JSON {
		return 0, nil, c.CopyPages(ctx, path, q, limit, most, console.Recorded(os.Stdout))
	}
	next, err = c.Pages(ctx, path, q, limit, most, func(text json.RawMessage) error {
		var item T
		if err := json.Unmarshal(text, &item); err != nil {
			return fmt.Errorf("read the server's answer to %s: %w", path, err)
		}
		shown++
		row(&item)
		return nil
	})
	return shown, next, err
}

// printNone explains an empty list: nothing matches the filters, or nothing was recorded.
func printNone(what string, filtered bool) {
	if filtered {
		fmt.Fprintf(os.Stderr, "Nothing matches: there are no %s with these flags. Leave one out to see more.\n", what)
		return
	}
	fmt.Fprintf(os.Stderr, "No %s. Record something: tapedeck record FILE\n", what)
}

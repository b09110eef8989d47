package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"strconv"
)

// rawPage is a page of any list.
type rawPage struct {
	Items []json.RawMessage `json:"items"`
	Next  *string           `json:"next"`
}

// pages reads a list page by page until there are limit items, and gives each to
// item. most is what the server gives at once. next is the cursor after the last
// one, nil at the list's end.
func (c *apiClient) pages(ctx context.Context, path string, q url.Values, limit, most int, item func(json.RawMessage) error) (next *string, err error) {
	if limit < 1 {
		return nil, badUsage("--limit %d: it must be 1 or more", limit)
	}
	for left := limit; left > 0; {
		q.Set("limit", strconv.Itoa(min(left, most)))
		var page rawPage
		if err := c.get(ctx, path, q, &page); err != nil {
			return nil, err
		}
		for _, text := range page.Items {
			if err := item(text); err != nil {
				return nil, err
			}
		}
		left, next = left-len(page.Items), page.Next
		if next == nil {
			break
		}
		q.Set("cursor", *next)
	}
	return next, nil
}

// list reads a list and gives each item to row; with --json it is printed as one
// page instead, and shown stays 0.
func list[T any](ctx context.Context, g *global, path string, q url.Values, limit, most int, row func(*T)) (shown int, next *string, err error) {
	c, err := g.client()
	if err != nil {
		return 0, nil, err
	}
	if g.JSON {
		return 0, nil, c.printPages(ctx, path, q, limit, most)
	}
	next, err = c.pages(ctx, path, q, limit, most, func(text json.RawMessage) error {
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

// printPages prints pages as one. It prints as it reads: a list may be long.
func (c *apiClient) printPages(ctx context.Context, path string, q url.Values, limit, most int) error {
	before := `{"items":[`
	next, err := c.pages(ctx, path, q, limit, most, func(text json.RawMessage) error {
		_, err := fmt.Fprintf(os.Stdout, "%s%s", before, text)
		before = ","
		return err
	})
	if err != nil {
		return err
	}
	if before != "," {
		fmt.Print(before)
	}
	end, err := json.Marshal(next)
	if err != nil {
		return err
	}
	_, err = fmt.Printf("],\"next\":%s}\n", end)
	return err
}

// sayNone says of an empty list why it may be: what was asked for, or that
// nothing is recorded.
func sayNone(what string, filtered bool) {
	if filtered {
		fmt.Fprintf(os.Stderr, "Nothing matches: no %s are as the flags ask for. Leave one out to see more.\n", what)
		return
	}
	fmt.Fprintf(os.Stderr, "No %s. Record something: tapedeck record FILE\n", what)
}

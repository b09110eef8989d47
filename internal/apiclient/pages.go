package apiclient

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"strconv"

	"tapedeck/internal/commandline"
)

// page is a page of any list.
type page struct {
	Items []json.RawMessage `json:"items"`
	Next  *string           `json:"next"`
}

// Pages reads a list page by page, up to limit items, and passes each item to item. most is the
// server's maximum page size. next is the cursor after the last item, nil at the end of the list.
func (c *Client) Pages(ctx context.Context, path string, q url.Values, limit, most int, item func(json.RawMessage) error) (next *string, err error) {
	if limit < 1 {
		return nil, commandline.Errorf("--limit %d: it must be 1 or more", limit)
	}
	for left := limit; left > 0; {
		q.Set("limit", strconv.Itoa(min(left, most)))
		var p page
		if err := c.Get(ctx, path, q, &p); err != nil {
			return nil, err
		}
		for _, text := range p.Items {
			if err := item(text); err != nil {
				return nil, err
			}
		}
		left, next = left-len(p.Items), p.Next
		if next == nil {
			break
		}
		q.Set("cursor", *next)
	}
	return next, nil
}

// CopyPages writes pages as one list. It writes while it reads, since a list may be long.
func (c *Client) CopyPages(ctx context.Context, path string, q url.Values, limit, most int, w io.Writer) error {
	before := `{"items":[`
	next, err := c.Pages(ctx, path, q, limit, most, func(text json.RawMessage) error {
		_, err := fmt.Fprintf(w, "%s%s", before, text)
		before = ","
		return err
	})
	if err != nil {
		return err
	}
	if before != "," {
		if _, err := io.WriteString(w, before); err != nil {
			return err
		}
	}
	end, err := json.Marshal(next)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "],\"next\":%s}\n", end)
	return err
}

// All reads all pages of a list.
func All[T any](ctx context.Context, c *Client, path string, q url.Values) ([]T, error) {
	all := []T{}
	if q == nil {
		q = url.Values{}
	}
	for {
		var p struct {
			Items []T     `json:"items"`
			Next  *string `json:"next"`
		}
		if err := c.Get(ctx, path, q, &p); err != nil {
			return nil, err
		}
		all = append(all, p.Items...)
		if p.Next == nil {
			return all, nil
		}
		q.Set("cursor", *p.Next)
	}
}

package mcpserver

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
)

// page is a page of a list of the API.
type page[Item any] struct {
	Items []Item  `json:"items"`
	Next  *string `json:"next"`
}

// readPage reads a page of a list of the API into the items of an answer. If not all items fit, the
// cursor after the last that fits is read from the API.
func readPage[Item any](
	ctx context.Context, c *call, a *answer, path string, q url.Values, limit int, at, what string,
	item func(*Item) any,
) (*page[Item], error) {
	get := func(limit int) (*page[Item], error) {
		q.Set("limit", strconv.Itoa(limit))
		if at != "" {
			q.Set("cursor", at)
		}
		var p page[Item]
		return &p, c.Get(ctx, path, q, &p)
	}
	p, err := get(limit)
	if err != nil {
		return nil, err
	}
	for i := range p.Items {
		a.item(item(&p.Items[i]))
	}
	a.more = func(n int) ([]more, error) {
		next := p.Next
		if n < len(p.Items) {
			first, err := get(max(n, 1))
			if err != nil {
				return nil, err
			}
			next = first.Next
		}
		if next == nil {
			return nil, nil
		}
		return []more{c.next("the "+what+" after these", *next)}, nil
	}
	return p, nil
}

// fromOffset adds the items of a list from an offset on, and names the call that returns the rest.
func fromOffset[Item any](c *call, a *answer, list []Item, from int, what string, item func(*Item) any) {
	from = min(from, len(list))
	const most = 500 // more never fit
	for i := from; i < min(from+most, len(list)); i++ {
		a.item(item(&list[i]))
	}
	a.more = func(n int) ([]more, error) {
		left := len(list) - from - n
		if left == 0 {
			return nil, nil
		}
		return []more{c.next(fmt.Sprintf("%d more %s", left, what), strconv.Itoa(from+n))}, nil
	}
}

// set sets the parameters of a query that are not "".
func set(q url.Values, values map[string]string) {
	for name, value := range values {
		if value != "" {
			q.Set(name, value)
		}
	}
}

// within returns a number of items from 1 to most.
func within(asked, otherwise, most int) int {
	if asked <= 0 {
		return otherwise
	}
	return min(asked, most)
}

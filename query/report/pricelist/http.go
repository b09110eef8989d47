package pricelist

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"time"

	"tapedeck/internal/problem"
	"tapedeck/query"
	"tapedeck/query/endpoint"
	"tapedeck/query/pricing/prices"
	"tapedeck/query/pricing/pricetables"
)

// Handler serves the routes of prices. Its Base has a store of price tables.
type Handler struct{ *endpoint.Base }

const (
	listLimit, listMost = 100, 2000
	listName            = "prices"
)

// List serves GET /v1/prices.
func (h Handler) List(w http.ResponseWriter, r *http.Request, tenant string) {
	p := endpoint.NewParams(r)
	f := Filter{Provider: p.Text("provider"), Model: p.Text("model"), Limit: p.Number("limit", listLimit, 1, listMost)}
	at, hash := h.at(p), p.Digest("hash")
	mark, err := query.ParseMark(listName, p.Text("cursor"))
	if bad := p.Done(); bad != nil {
		err = bad
	}
	if err != nil {
		h.Fail(w, r, err)
		return
	}
	v, err := h.version(r.Context(), hash)
	if err != nil {
		h.Fail(w, r, err)
		return
	}
	if err := checkProvider(v.Table, f.Provider); err != nil {
		h.Fail(w, r, err)
		return
	}
	list := &List{Head: headOf(v), At: at, Used: []Entry{}, Unmatched: []Unmatched{}, Inexact: []Inexact{}}
	if mark != nil {
		f.After = mark.ID
	} else if err := list.inUse(r.Context(), h.Reader, v.Table, tenant, f); err != nil {
		h.Fail(w, r, err)
		return
	}
	var more bool
	if list.Items, more = entries(v.Table, tenant, at, f); more {
		last := list.Items[len(list.Items)-1]
		list.Next = query.Mark{List: listName, ID: last.Provider + "/" + last.Model}.Cursor()
	}
	h.Answer(w, r, list, nil)
}

// Model serves GET /v1/prices/{model} and GET /v1/prices/{provider}/{model}.
func (h Handler) Model(w http.ResponseWriter, r *http.Request, tenant, provider, model string) {
	p := endpoint.NewParams(r)
	at, hash := h.at(p), p.Digest("hash")
	if err := p.Done(); err != nil {
		h.Fail(w, r, err)
		return
	}
	v, err := h.version(r.Context(), hash)
	if err != nil {
		h.Fail(w, r, err)
		return
	}
	m, err := ModelOf(v, tenant, provider, model, at)
	h.Answer(w, r, m, err)
}

// Import answers POST /v1/prices, whose body is a price file, or with list=1 a published table of
// list prices.
func (h Handler) Import(w http.ResponseWriter, r *http.Request, tenant string) {
	p := endpoint.NewParams(r)
	name, dry, list, date := p.Text("name"), p.Flag("dry_run"), p.Flag("list"), p.Text("date")
	none, most := p.Flag("none"), maxChanges
	if p.Flag("all") {
		most = math.MaxInt
	}
	if none && list {
		p.Refuse("none", "1", "means no price file: it does not go with list=1")
	}
	if at, err := time.Parse(time.DateOnly, date); err == nil && at.After(h.Clock().Add(easternmost)) {
		p.Refuse("date", date, "is in the future: a list that was published has the date of its publication")
	}
	if err := p.Done(); err != nil {
		h.Fail(w, r, err)
		return
	}
	if name == "" {
		name = "prices.yaml"
	}
	limit := int64(prices.MaxFile)
	if list {
		limit = prices.MaxPublished
	}
	file, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	empty := len(bytes.TrimSpace(file)) == 0
	switch {
	case err != nil:
		err = unread(err, limit)
	case none && !empty:
		err = problem.BadParameter("none", "none=1 means no price file: send an empty body. Nothing was changed.")
	case none:
		file = []byte("# no own prices\n")
	case empty:
		err = nothing("The body is empty: send a price file. Nothing was changed.")
	case !list && prices.StatesNothing(file):
		err = nothing("The price file states nothing: it has no field. Nothing was changed.")
	}
	if err != nil {
		h.Fail(w, r, err)
		return
	}
	var c *Comparison
	if list {
		c, err = h.update(r.Context(), tenant, file, date, dry)
	} else {
		c, err = h.take(r.Context(), tenant, name, file, dry)
	}
	if err == nil {
		c.bound(most)
	}
	h.Answer(w, r, c, refusal(err))
}

// easternmost is the largest offset of a time zone: a day has begun there while it is the day before
// in UTC.
const easternmost = 14 * time.Hour

// nothing returns the problem for a body without a price file.
func nothing(detail string) error {
	bad := problem.BadParameter("", detail)
	bad.Hint = "To use no own prices any more, send an empty body with none=1 (tapedeck prices import of an empty file)."
	return bad
}

// update makes a published table the list that calls are charged by, or only compares with it.
func (h Handler) update(ctx context.Context, tenant string, file []byte, date string, dry bool) (*Comparison, error) {
	before, after, err := h.Prices.Update(ctx, file, date, dry)
	if _, invalid := errors.AsType[*pricetables.Invalid](err); invalid {
		return nil, &problem.Problem{
			Title: "Price table not valid", Status: http.StatusBadRequest, Detail: err.Error(), Hint: "Nothing was changed.",
		}
	}
	if err != nil {
		return nil, err
	}
	c := Compare(before.Table, after.Table, tenant, h.Clock())
	c.DryRun = dry
	return c, nil
}

// take imports a price file, or only compares with it.
func (h Handler) take(ctx context.Context, tenant, name string, file []byte, dry bool) (*Comparison, error) {
	operator, err := prices.ReadFile(name, file)
	if err != nil {
		return nil, err
	}
	used, err := usedModels(ctx, h.Reader, tenant)
	if err != nil {
		return nil, err
	}
	var c *Comparison
	if dry {
		before, err := h.Prices.Current(ctx)
		if err != nil {
			return nil, err
		}
		c = Compare(before.Table, prices.With(operator), tenant, h.Clock())
		c.DryRun = true
	} else {
		before, after, err := h.Prices.Import(ctx, name, file)
		if err != nil {
			return nil, err
		}
		c = Compare(before.Table, after.Table, tenant, h.Clock())
	}
	c.Warnings = Warn(operator, used)
	return c, nil
}

// at reads the time whose prices are requested; now if it is left out.
func (h Handler) at(p *endpoint.Params) time.Time {
	at := p.Instant("at", time.UTC, h.Clock())
	if at.IsZero() {
		at = h.Clock().UTC()
	}
	return at
}

// version returns the table with a hash, or the current one for "".
func (h Handler) version(ctx context.Context, hash string) (*pricetables.Version, error) {
	if hash == "" {
		return h.Prices.Current(ctx)
	}
	t, err := h.Prices.Effective(ctx, hash)
	if _, unknown := errors.AsType[*prices.UnknownHash](err); unknown {
		return nil, problem.NotFound("There is no price table with the hash " + hash + ".")
	}
	return &pricetables.Version{Table: t}, err
}

// refusal returns a problem for the errors of a price file. It names the first field.
func refusal(err error) error {
	list, ok := errors.AsType[prices.FileErrors](err)
	if !ok {
		return err
	}
	return &problem.Problem{
		Title: "Price file not valid", Status: http.StatusBadRequest, Detail: list.Error(), Parameter: list[0].Field,
		Hint: "Nothing was changed. Correct the file and send it again.",
	}
}

func unread(err error, most int64) error {
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return &problem.Problem{
			Status: http.StatusRequestEntityTooLarge, Detail: fmt.Sprintf("The file has more than %d MiB.", most>>20),
		}
	}
	return problem.BadParameter("", "The body cannot be read: "+err.Error())
}

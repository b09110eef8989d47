package notes

import (
	"context"
	"net/http"
	"slices"

	"tapedeck/query"
	"tapedeck/query/endpoint"
	"tapedeck/query/facts/sessionstreams"
)

// Labelling says whether a request changed the labels of a session.
type Labelling struct {
	Changed bool `json:"changed"` // false if the session had the label, or lacked it, before
}

// AddLabel puts a label on a session by a note of its own, unless a note of the session has it.
func AddLabel(ctx context.Context, r *query.Reader, tenant, session, author, label string) (*Labelling, error) {
	content := Content{Labels: []string{label}}
	if err := content.normalise(); err != nil {
		return nil, err
	}
	with, err := withLabel(ctx, r, tenant, session, content.Labels[0])
	if err != nil || len(with) > 0 {
		return &Labelling{}, err
	}
	if _, err := Add(ctx, r, tenant, Note{Session: session, Content: content, Author: author}); err != nil {
		return nil, err
	}
	return &Labelling{Changed: true}, nil
}

// RemoveLabel removes a label from all notes of a session. A note that says nothing else is deleted.
func RemoveLabel(ctx context.Context, r *query.Reader, tenant, session, label string) (*Labelling, error) {
	with, err := withLabel(ctx, r, tenant, session, label)
	if err != nil {
		return nil, err
	}
	for i := range with {
		n := &with[i]
		rest := n.Content
		rest.Labels = slices.DeleteFunc(slices.Clone(n.Labels), func(l string) bool { return l == label })
		if rest.Text == "" && rest.Thumb == "" && len(rest.Labels) == 0 {
			err = Delete(ctx, r, tenant, session, n.ID)
		} else {
			_, err = Change(ctx, r, tenant, session, n.ID, rest)
		}
		if err != nil {
			return nil, err
		}
	}
	return &Labelling{Changed: len(with) > 0}, nil
}

// withLabel returns the notes of a session that have a label.
func withLabel(ctx context.Context, r *query.Reader, tenant, session, label string) ([]Note, error) {
	page, err := List(ctx, r, Query{Tenant: tenant, Session: session, Labels: []string{label}, Limit: 2 * MostSession})
	if err != nil {
		return nil, err
	}
	return page.Items, nil
}

// AddLabel serves PUT /v1/sessions/{id}/labels/{label}.
func (h Handler) AddLabel(w http.ResponseWriter, r *http.Request, tenant, session, label string) {
	h.label(w, r, tenant, session, func() (*Labelling, error) {
		return AddLabel(r.Context(), h.Reader, tenant, session, h.Author(r), label)
	})
}

// RemoveLabel serves DELETE /v1/sessions/{id}/labels/{label}.
func (h Handler) RemoveLabel(w http.ResponseWriter, r *http.Request, tenant, session, label string) {
	h.label(w, r, tenant, session, func() (*Labelling, error) {
		return RemoveLabel(r.Context(), h.Reader, tenant, session, label)
	})
}

func (h Handler) label(w http.ResponseWriter, r *http.Request, tenant, session string, change func() (*Labelling, error)) {
	err := endpoint.NewParams(r).Done()
	if err == nil {
		_, err = sessionstreams.Kept(r.Context(), h.Reader, tenant, session)
	}
	if err != nil {
		h.Fail(w, r, err)
		return
	}
	result, err := change()
	h.Answer(w, r, result, err)
}

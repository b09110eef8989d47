package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"tapedeck/query/search"
	"tapedeck/tools/bench/dataset"
)

// searchPages bounds the pages in which a search is read to its end.
const searchPages = 20

// wholeSearch reads on where a search ended at its limit of time, as it may with cold caches, and
// returns the answer with all hits.
func wholeSearch(ctx context.Context, s *scale, path string, body []byte) ([]byte, error) {
	var items []search.Hit
	for range searchPages {
		var found search.Answer
		if err := json.Unmarshal(body, &found); err != nil {
			return nil, err
		}
		items = append(items, found.Items...)
		if !found.Partial || found.Next == nil {
			found.Items = items
			return json.Marshal(found)
		}
		var err error
		if body, err = s.server.read(ctx, path+"&cursor="+url.QueryEscape(*found.Next)); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("the search is not complete after %d pages", searchPages)
}

// partial reports whether a search ended before everything was searched.
func partial(body []byte) bool {
	var found search.Answer
	return json.Unmarshal(body, &found) == nil && found.Partial
}

// rareSearches returns searches for words that occur in one session each, for phrases with such a
// word, and for the beginning of such a word.
func rareSearches(s *scale) (list []string) {
	for i := range 8 {
		word := dataset.RareWord(i * s.Data.Sessions / 8)
		for _, q := range []string{word, `"` + strings.ToUpper(word) + `"`, word[:len(word)-1] + "*"} {
			list = append(list, "/v1/search?"+url.Values{"q": {q}}.Encode())
		}
	}
	return list
}

// checkRare checks that the only hit is in the session that contains the word.
func checkRare(s *scale, path string, body []byte) error {
	hits, q, err := foundBy(path, body)
	if err != nil {
		return err
	}
	word := strings.ToLower(strings.Trim(q.Get("q"), `"*`))
	for i := range 8 {
		n := i * s.Data.Sessions / 8
		if strings.HasPrefix(dataset.RareWord(n), word) {
			if len(hits) != 1 || hits[0].SessionID != dataset.SessionID(n) {
				return fmt.Errorf("%d hits, want one in %s", len(hits), dataset.SessionID(n))
			}
			return nil
		}
	}
	return fmt.Errorf("no session has %q", word)
}

// commonSearches returns searches for words that occur in many texts, with filters.
func commonSearches(*scale) (list []string) {
	for _, q := range []url.Values{
		{"q": {dataset.CommonWord}},
		{"q": {dataset.CommonWord + " agent"}, "role": {"tool"}},
		{"q": {dataset.CommonWord}, "kind": {"tool_result"}, "tool": {"bash"}},
		{"q": {dataset.CommonWord}, "tag": {"team:search"}},
		{"q": {"reads"}, "tag": {"customer:customer-007"}},
		{"q": {"latency"}, "tag": {"team:checkout"}, "kind": {"assistant"}, "to": {dataset.Begin.AddDate(0, 6, 0).Format("2006-01-02")}},
	} {
		list = append(list, "/v1/search?"+q.Encode())
	}
	return list
}

// checkCommon checks that there are hits, all with the words.
func checkCommon(_ *scale, path string, body []byte) error {
	hits, q, err := foundBy(path, body)
	if err != nil {
		return err
	}
	if len(hits) == 0 {
		return fmt.Errorf("no hits for %s", path)
	}
	for _, h := range hits {
		if !slices.ContainsFunc(h.Snippet, func(p search.Part) bool { return p.Match && strings.Contains(q.Get("q"), strings.ToLower(p.Text)) }) {
			return fmt.Errorf("a hit of %s has the snippet %v", path, h.Snippet)
		}
	}
	return nil
}

// foundBy parses the hits of a request. The search must be complete.
func foundBy(path string, body []byte) ([]search.Hit, url.Values, error) {
	address, err := url.Parse(path)
	if err != nil {
		return nil, nil, err
	}
	var found search.Answer
	if err := json.Unmarshal(body, &found); err != nil {
		return nil, nil, err
	}
	if found.Partial {
		return nil, nil, fmt.Errorf("not everything was searched: %s", *found.Reason)
	}
	return found.Items, address.Query(), nil
}

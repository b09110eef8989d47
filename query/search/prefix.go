package search

import (
	"context"
	"slices"
	"strings"

	"tapedeck/query"
)

func has(list []string, text string) bool { return slices.Contains(list, text) }

func joined(words []string) string { return strings.Join(words, " ") }

// wordsMost bounds the words that may have a prefix. If there are more, texts are read one by one.
const wordsMost = 2000

// wordsBeginning returns the indexed words with a prefix; nil if there are too many or if some rows
// are not indexed yet.
func wordsBeginning(ctx context.Context, r *query.Reader, prefix string) ([]string, error) {
	type unindexed struct {
		Parts uint64 `ch:"parts"`
	}
	left, err := query.AskOne[unindexed](ctx, r, statements, "parts_without_index", nil, nil)
	if err != nil || left.Parts > 0 {
		return nil, err
	}
	words := []string{}
	for table, index := range indexes {
		type row struct {
			Token string `ch:"token"`
		}
		rows, err := query.Ask[row](ctx, r, statements, "words_beginning", nil, query.Args{
			"table": table, "index": index, "prefix": prefix, "beyond": prefix + "\xff", "rows": wordsMost + 1,
		})
		if err != nil {
			return nil, err
		}
		for i := range rows {
			words = append(words, rows[i].Token)
		}
	}
	slices.Sort(words)
	if words = slices.Compact(words); len(words) > wordsMost {
		return nil, nil
	}
	return words, nil
}

// indexes has the text index of each table, on its column terms.
var indexes = map[string]string{"messages": "text_terms", "spans": "error_terms"}

package archive

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
)

// Checked counts what Verify read.
type Checked struct {
	Tapes int   `json:"tapes"`
	Days  int   `json:"days"` // files of charges
	Bytes int64 `json:"bytes"`
	Bad   int   `json:"bad"` // files that are missing or have another content
}

// Verify reads all files that the archive names and compares their contents with their SHA-256. said receives a
// line for each file that is missing or differs.
func Verify(ctx context.Context, p Place, said func(line string)) (c Checked, err error) {
	s, err := readState(ctx, p)
	if err != nil {
		return c, err
	}
	check := func(name string, want content) error {
		got, err := readContent(ctx, p, name)
		if errors.Is(err, fs.ErrNotExist) {
			c.Bad++
			said(name + " is missing")
			return nil
		}
		if err != nil {
			return err
		}
		c.Bytes += got.Bytes
		if got != want {
			c.Bad++
			said(fmt.Sprintf("%s has another content: %d bytes, SHA-256 %s; written were %d bytes, %s", name, got.Bytes, got.SHA256, want.Bytes, want.SHA256))
		}
		return ctx.Err()
	}
	for _, day := range s.Days {
		index, err := readIndex(ctx, p, day)
		if err != nil {
			return c, err
		}
		if len(index) == 0 {
			c.Bad++
			said(indexName(day) + " is missing")
		}
		for _, id := range slices.Sorted(maps.Keys(index)) {
			e := index[id]
			c.Tapes++
			if err := check(directoryOf(day)+e.File, e.content); err != nil {
				return c, err
			}
		}
	}
	for _, day := range slices.Sorted(maps.Keys(s.Charges)) {
		c.Days++
		if err := check(chargesName(day), s.Charges[day].content); err != nil {
			return c, err
		}
	}
	return c, nil
}

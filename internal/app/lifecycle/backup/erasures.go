package backup

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Erased counts the erasures that a later backup contains.
type Erased struct {
	From       string `json:"from"`
	Tombstones uint64 `json:"tombstones"` // tombstones that the restored backup does not have
}

// marks are the tables that record deletions, restores, erasures and expirations.
var marks = []string{"tombstones", "restores", "erasures", "expirations"}

// applyErasures adds the marks of a later backup to the restored data. Readers then hide the rows
// that the marks cover. The server removes these rows soon after its start: those of erasures like
// any rows that were stored after their erasure, those of expirations like any that were marked and
// not deleted yet.
func applyErasures(ctx context.Context, o RestoreOptions, scratch string) (e *Erased, err error) {
	later := o.Into + "__erasures"
	if err := create(ctx, o.DB, later); err != nil {
		return nil, err
	}
	defer func() {
		if dropErr := drop(ctx, o.DB, later); err == nil {
			err = dropErr
		}
	}()
	parts := make([]string, len(marks))
	for i, name := range marks {
		parts[i] = fmt.Sprintf("TABLE %s.%s AS %s.%[2]s", inBackup, name, identifier(later))
	}
	err = operate(ctx, o.DB, "RESTORE "+strings.Join(parts, ", ")+" FROM "+o.Erasures.sql, sameKeys(*o.Erasures), nil)
	if err != nil {
		return nil, fmt.Errorf("read the erasures of the backup %s: %w", o.Erasures.Name, err)
	}
	e = &Erased{From: o.Erasures.Name}
	shape := marksShape{Restored: identifier(scratch), Later: identifier(later)}
	if err := o.DB.QueryRow(ctx, statements.Must("later_tombstones", shape)).Scan(&e.Tombstones); err != nil {
		return nil, fmt.Errorf("count the erasures of the backup %s: %w", o.Erasures.Name, reason(err))
	}
	for _, name := range marks {
		var here, there Table
		here.Name, there.Name = name, name
		if err := here.describe(ctx, o.DB, scratch); err != nil {
			return nil, err
		}
		if err := there.describe(ctx, o.DB, later); err != nil {
			return nil, err
		}
		var both []string
		for _, c := range there.Columns {
			if slices.Contains(here.Columns, c) {
				both = append(both, identifier(c))
			}
		}
		shape.Table, shape.Columns = name, strings.Join(both, ", ")
		if err := o.DB.Exec(ctx, statements.Must("add_marks", shape)); err != nil {
			return nil, fmt.Errorf("apply the marks in %s of the backup %s: %w", name, o.Erasures.Name, reason(err))
		}
	}
	return e, nil
}

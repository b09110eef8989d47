package migrate

import (
	"context"
	"fmt"
	"regexp"
	"slices"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"tapedeck/schema/migrations"
)

var viewOf = regexp.MustCompile(`(?is)^\s*CREATE (?:OR REPLACE VIEW|VIEW IF NOT EXISTS)\s+(\w+)`)

// view is a view with the last statement that makes it.
type view struct{ name, text string }

// ensureViews makes those views of executed migrations that are missing: a backup contains tables only.
func ensureViews(ctx context.Context, conn driver.Conn, executed []migrations.Migration) error {
	lacking, err := lackingViews(ctx, conn, executed, "")
	if err != nil {
		return err
	}
	for _, v := range lacking {
		if err := conn.Exec(ctx, v.text); err != nil {
			return fmt.Errorf("make the view %s: %w", v.name, err)
		}
	}
	return nil
}

// lackingViews returns the views of executed migrations that the database of the connection lacks, in the order
// in which they can be made. like is another database with the same views: a view with another query than there
// is lacking too. "" is for none.
func lackingViews(ctx context.Context, conn driver.Conn, executed []migrations.Migration, like string) ([]view, error) {
	var views []view
	names := []string{}
	for _, m := range executed {
		for _, text := range m.Statements {
			found := viewOf.FindStringSubmatch(uncommented(text))
			if found == nil {
				continue
			}
			if i := slices.Index(names, found[1]); i >= 0 {
				views[i].text = text
				continue
			}
			names = append(names, found[1])
			views = append(views, view{found[1], text})
		}
	}
	var there []string
	err := conn.QueryRow(ctx, readViews, driver.Named("names", names), driver.Named("like", like)).Scan(&there)
	if err != nil {
		return nil, fmt.Errorf("read which views exist: %w", err)
	}
	return slices.DeleteFunc(views, func(v view) bool { return slices.Contains(there, v.name) }), nil
}

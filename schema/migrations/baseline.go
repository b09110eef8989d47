package migrations

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"strings"
)

// BaselineFile is the file of the baseline in this folder.
const BaselineFile = "baseline.sql"

//go:embed baseline.sql
var baseline string

// sumMark is the prefix of the line in the baseline's file that has the checksum of the migrations.
const sumMark = "-- migrations: "

// Baseline returns statements that create, in an empty database, the same tables and views as the
// given migrations. It returns nil if the file was made from other migrations.
func Baseline(of []Migration) []string {
	for line := range strings.Lines(baseline) {
		if sum, ok := strings.CutPrefix(line, sumMark); ok && strings.TrimSpace(sum) == Checksum(of) {
			return split(baseline)
		}
	}
	return nil
}

// Checksum returns the checksum of migrations, which the file of their baseline contains.
func Checksum(of []Migration) string {
	h := sha256.New()
	for _, m := range of {
		h.Write([]byte(m.Name + "\n" + m.Text))
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// FormatBaseline returns the text of the baseline's file for the given migrations, with the
// statements in their order.
func FormatBaseline(of []Migration, statements []string) string {
	var b strings.Builder
	b.WriteString("-- The tables and views that the migrations make in an empty database.\n")
	b.WriteString("-- Written by 'go test ./schema/migrate -run TestBaseline -update'; do not edit.\n")
	b.WriteString(sumMark + Checksum(of) + "\n\n")
	for _, s := range statements {
		b.WriteString(s + ";\n\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

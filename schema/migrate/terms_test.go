package migrate

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The column terms of messages has what the expression of migration 19 makes of the same texts, so
// that the index of parts that were stored before remains valid.
func TestTermsStayTheSame(t *testing.T) {
	_, db := database(t)
	if _, err := Apply(t.Context(), db, Options{Program: "1.2.3"}); err != nil {
		t.Fatal(err)
	}
	before := ""
	for _, m := range upTo(t, 19) {
		if m.Version == 19 {
			before = regexp.MustCompile(`(?s)ALTER TABLE messages ADD COLUMN IF NOT EXISTS terms String ALIAS (.*?);\n`).FindStringSubmatch(m.Text)[1]
		}
	}
	pieces := []string{"word", "UPPER", "x_y", " ", "\n", "\x00", "\x7f", "\x80", "\xff\xfe", "Straße", "ÉCOLE", "İ", "日本語", "ไทย", "—", "😀",
		`\n`, `\\n`, `\u00e9`, `\u0041`, `\u65e5`, `\ud83d\ude00`, `\`, "&amp;", "&#233;", `"`, "=>", "K", "ſ"}
	batch, err := db.PrepareBatch(t.Context(), "INSERT INTO messages (tenant, session_id, message_id, media, text)")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		for range 50 {
			text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 8).Draw(t, "text"), rapid.SampledFrom([]string{"", " "}).Draw(t, "between"))
			if err := batch.Append("t", "s", string(rune('a'+n%26))+strings.Repeat("x", n/26), rapid.SampledFrom([]string{"text", "json", ""}).Draw(t, "media"), text); err != nil {
				t.Fatal(err)
			}
			n = (n + 1) % 1000
		}
	})
	if err := batch.Send(); err != nil {
		t.Fatal(err)
	}
	var texts, different, ascii uint64
	var example string
	row := db.QueryRow(t.Context(), "SELECT count(), countIf(terms != ("+before+")), countIf(isValidASCII(text)), anyIf(text, terms != ("+before+")) FROM messages")
	if err := row.Scan(&texts, &different, &ascii, &example); err != nil {
		t.Fatal(err)
	}
	if different > 0 || ascii < 100 || texts-ascii < 100 {
		t.Errorf("%d of %d texts (%d ASCII) have other terms, such as %q", different, texts, ascii, example)
	}
}

package report

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tapedeck/tools/systemtest/commands/commandtest"
)

func priceFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "prices.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const acmePrices = "discounts:\n  - {name: acme contract, provider: anthropic, model: claude-opus-5, factor: 0.8}\n"

// A price file is checked without a server; an invalid one is wrong usage.
func TestPricesCheckAlone(t *testing.T) {
	t.Parallel()
	out, errs, exit := commandtest.Alone(t, "prices", "check", priceFile(t, acmePrices))
	if exit != 0 {
		t.Fatal(errs)
	}
	commandtest.Contains(t, "prices check", out, "discounts: acme contract added", "claude-opus-5", "The file is valid.")
	commandtest.Contains(t, "prices check", errs, "compared with the prices of this program alone")
	_, errs, exit = commandtest.Alone(t, "prices", "check", priceFile(t, "discounts:\n  - {provider: anthropc, factor: 0.5}\n  - {provider: openai, model: gtp-5-mini, factor: 0.5}\n"))
	if exit != 0 {
		t.Errorf("a file with warnings: exit %d", exit)
	}
	commandtest.Contains(t, "prices check", errs, `warning: discounts[0].provider: "anthropc" is no provider of the price table, and no recorded usage names it; nearest are anthropic`,
		`warning: discounts[1].model: "gtp-5-mini" is no model of the price table, and no recorded usage names it; nearest are openai/gpt-5-mini`)
	_, errs, exit = commandtest.Alone(t, "prices", "check", priceFile(t, "discounts:\n  - {factr: 1}\nmargin: []\n"))
	if exit != commandtest.ExitUsage {
		t.Errorf("exit %d", exit)
	}
	commandtest.Contains(t, "prices check", errs, `prices.yaml:2: discounts[0].factr: there is no such field; did you mean "factor"?`, `prices.yaml:3: margin: there is no such field; did you mean "margins"?`)
}

// A file that is imported changes what the server shows, and its table before can be read
// by its hash.
func TestPrices(t *testing.T) {
	s := commandtest.Shared(t)
	defer func() { s.Must(t, "prices", "import", priceFile(t, "")) }()
	_, before, _ := s.Run(t, "prices", "list", "--model", "opus-5")
	hash := before[strings.LastIndex(before, " ")+1:]
	out := s.Must(t, "prices", "import", priceFile(t, acmePrices))
	commandtest.Contains(t, "prices import", out, "discounts: acme contract added", "Imported. The table is ", "the one before is "+strings.TrimSpace(hash))
	out = s.Must(t, "prices", "show", "claude-opus-5", "--at", "2026-10-01")
	commandtest.Contains(t, "prices show", out, "anthropic claude-opus-5", "discounts: acme contract", "where provider anthropic, model claude-opus-5", "overlay: Anthropic batch", "read on 2026-11-22", "list prices at any time (these hold), USD, @pydantic/genai-prices")
	if !strings.Contains(strings.Join(strings.Fields(out), " "), "input_mtok 4 1,000,000 5") {
		t.Errorf("prices show has no price of 4 where the list has 5:\n%s", out)
	}
	out = s.Must(t, "prices", "show", "claude-opus-5", "--at", "2026-10-01", "--hash", strings.TrimSpace(hash))
	if strings.Contains(out, "acme contract") {
		t.Errorf("the table before has the discount:\n%s", out)
	}
	if out := s.Must(t, "prices", "show", "anthropic/claude-opus-4.5", "--provider", "openrouter"); !strings.Contains(out, "openrouter anthropic/claude-opus-4.5") {
		t.Errorf("a model whose name has a slash:\n%s", out)
	}
	commandtest.Contains(t, "prices list", s.Must(t, "prices", "list", "--provider", "anthropic"), "PROVIDER", "claude-opus-5")
	commandtest.Post(t, s, "priced", "text/event-stream", []byte("data: "+`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1767225600,"model":"gpt-4o-mini","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":3,"total_tokens":12}}`+"\n\ndata: [DONE]\n\n"))
	commandtest.UntilEnded(t, s, "priced")
	all := s.Must(t, "prices", "list", "--all", "--limit", "50")
	if used := s.Must(t, "prices", "list"); strings.Count(all, "\n") < 51 || strings.Contains(used, "avian") || !strings.Contains(used, "gpt-4o-mini") {
		t.Errorf("prices list:\n%s\n--all:\n%s", used, all)
	}
	if _, errs, exit := s.Run(t, "prices", "show", "gpt-55", "--provider", "openai"); exit != commandtest.ExitFailed || !strings.Contains(errs, "Most like it are openai/gpt-5") {
		t.Errorf("an unknown model: exit %d, %s", exit, errs)
	}
	commandtest.Contains(t, "prices check", s.Must(t, "prices", "check", priceFile(t, acmePrices)), "The file changes nothing.")
	commandtest.Contains(t, "prices list --json", s.Must(t, "--json", "prices", "list", "--limit", "1"), `"hash":"`, `"unmatched":[`)
}

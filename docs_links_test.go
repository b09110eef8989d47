package tapedeck

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"tapedeck/internal/markdown"
)

var (
	inlineLink = regexp.MustCompile(`\]\(\s*<?([^)\s>]+)>?[^)]*\)`)
	// referenceLink matches the definition of a link that is named elsewhere.
	referenceLink = regexp.MustCompile(`(?m)^\[[^\]]+\]:\s*(\S+)`)
	htmlTarget    = regexp.MustCompile(`(?:href|src)="([^"]+)"`)
	linkText      = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)
)

// markdownPages lists all pages of the repository, with slashes.
func markdownPages(t *testing.T) []string {
	t.Helper()
	var pages []string
	for _, folder := range []string{"*.md", ".github/*.md", ".github/*/*.md", "cmd/*/*.md", "tools/*.md"} {
		found, err := filepath.Glob(folder)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, found...)
	}
	for _, folder := range []string{"docs", "deploy", "ingest", "replay", "query", "schema", "internal", "dashboards"} {
		pages = append(pages, markdown.Pages(t, folder)...)
	}
	return pages
}

// links returns the targets of a page's links, without those in code.
func links(text string) []string {
	text = markdown.WithoutCode(text)
	var targets []string
	for _, form := range []*regexp.Regexp{inlineLink, referenceLink, htmlTarget} {
		for _, m := range form.FindAllStringSubmatch(text, -1) {
			targets = append(targets, m[1])
		}
	}
	return targets
}

// anchors returns the anchors of a page's headings, by the rules of GitHub.
func anchors(text string) map[string]bool {
	found, count := map[string]bool{}, map[string]int{}
	for line := range strings.Lines(markdown.WithoutBlocks(text)) {
		marks := len(line) - len(strings.TrimLeft(line, "#"))
		if marks == 0 || marks > 6 || !strings.HasPrefix(line[marks:], " ") {
			continue
		}
		slug := slug(linkText.ReplaceAllString(strings.TrimSpace(line[marks:]), "$1"))
		if n := count[slug]; n > 0 {
			found[slug+"-"+strconv.Itoa(n)] = true
		} else {
			found[slug] = true
		}
		count[slug]++
	}
	return found
}

// slug is the anchor of a heading: letters, digits, - and _ in lower case, with - for spaces.
func slug(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
}

// TestLinks checks that every relative link of every page leads to a file, and to a heading
// where it names one, and that docs/README.md leads to every page of docs.
func TestLinks(t *testing.T) {
	pages := markdownPages(t)
	text := map[string]string{}
	for _, page := range pages {
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		text[page] = string(data)
	}
	leads := map[string][]string{}
	checked, named := 0, 0
	for _, page := range pages {
		for _, link := range links(text[page]) {
			if strings.Contains(link, "://") || strings.HasPrefix(link, "mailto:") {
				continue
			}
			checked++
			file, anchor, _ := strings.Cut(link, "#")
			target := page
			if file != "" {
				target = path.Join(path.Dir(page), file)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s, which does not exist", page, link)
				continue
			}
			leads[page] = append(leads[page], target)
			if anchor == "" || path.Ext(target) != ".md" {
				continue
			}
			named++
			if !anchors(text[target])[anchor] {
				t.Errorf("%s links to %s: %s has no heading with this anchor", page, link, target)
			}
		}
	}
	reached, queue := map[string]bool{"docs/README.md": true}, []string{"docs/README.md"}
	for ; len(queue) > 0; queue = queue[1:] {
		for _, target := range leads[queue[0]] {
			if !reached[target] && strings.HasPrefix(target, "docs/") {
				reached[target] = true
				queue = append(queue, target)
			}
		}
	}
	for _, page := range pages {
		if strings.HasPrefix(page, "docs/") && !reached[page] {
			t.Errorf("no link leads from docs/README.md to %s", page)
		}
	}
	t.Logf("%d pages, %d links, %d of them to headings", len(pages), checked, named)
	if checked < 150 || named < 10 {
		t.Errorf("%d links of %d pages, %d to headings: the test finds too few", checked, len(pages), named)
	}
}

// TestSlug compares anchors with those that GitHub makes.
func TestSlug(t *testing.T) {
	for heading, want := range map[string]string{
		"Docker compose":                "docker-compose",
		"Delivery: what is promised, x": "delivery-what-is-promised-x",
		"`tapedeck up` & more":          "tapedeck-up--more",
		"A_b (c-d)":                     "a_b-c-d",
		"Über 2.0":                      "über-20",
	} {
		if got := slug(heading); got != want {
			t.Errorf("slug(%q) = %q, want %q", heading, got, want)
		}
	}
	found := anchors("# One\n## One\n```\n# no heading\n```\n## See [two](x.md)\n")
	for _, want := range []string{"one", "one-1", "see-two"} {
		if !found[want] || len(found) != 3 {
			t.Errorf("anchors %v, want %s among three", found, want)
		}
	}
}

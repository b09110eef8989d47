package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/alecthomas/kong"

	"tapedeck/internal/markdown"
	"tapedeck/tools/systemtest/commands/commandtest"
)

var (
	// programs are those whose commands make a block of text one that has to say why it is not run.
	programs = []string{
		"apt", "bin/tapedeck", "bin/tapedeck-bench", "cat", "curl", "docker", "export", "git", "go", "helm", "kubectl",
		"make", "npm", "sh", "sudo", "systemctl", "tapedeck",
	}
	inlineCommand = regexp.MustCompile("`(tapedeck [a-z][^`\n]*)`")
	assignment    = regexp.MustCompile(`^[A-Z_][A-Z0-9_]*=`)
	alternatives  = regexp.MustCompile(`\\?\|[\w-]+`)
	cronTimes     = regexp.MustCompile(`^([\d*/,-]+\s+){5}tapedeck\s+`)
)

// TestDocumentedCommandsExist checks that the commands and flags of tapedeck which documents name
// exist, in text and in blocks that TestDocumentedCommands does not run, and that each such block has a
// reason.
func TestDocumentedCommandsExist(t *testing.T) {
	var c cli
	parser, parsed := kong.Must(&c, kong.Name("tapedeck"), kong.Vars{"server": defaultServer}), 0
	for _, page := range commandtest.PagesInOrder(t) {
		text := commandtest.ReadPage(t, page)
		for _, m := range inlineCommand.FindAllStringSubmatch(markdown.WithoutBlocks(text), -1) {
			parsed += parses(t, parser, page, m[1])
		}
		for _, block := range markdown.Blocks(text) {
			shell := slices.Contains(commandtest.Shells, block.Language)
			if !shell && block.Language != "" && block.Language != "text" || shell && block.NotRun == "" {
				continue
			}
			for line := range strings.Lines(strings.ReplaceAll(block.Script(), "\\\n", " ")) {
				line = cronTimes.ReplaceAllString(line, "")
				words := shellWords(line)
				for len(words) > 0 && assignment.MatchString(words[0]) {
					words = words[1:]
				}
				if len(words) == 0 || !slices.Contains(programs, words[0]) {
					continue
				}
				if block.NotRun == "" {
					t.Errorf("%s:%d: this block has commands, neither is it run nor does a comment <!-- not run: … --> say why:\n%s", page, block.Line, block.Text)
					break
				}
				parsed += parses(t, parser, page, line)
			}
		}
	}
	t.Logf("%d commands exist", parsed)
	if parsed < 150 {
		t.Errorf("%d commands were found, want 150 at least", parsed)
	}
}

// parses reports the number of commands of tapedeck on a line, and fails the test if one does not exist.
func parses(t *testing.T, parser *kong.Kong, page, line string) int {
	t.Helper()
	words := shellWords(alternatives.ReplaceAllString(line, ""))
	for len(words) > 0 && assignment.MatchString(words[0]) {
		words = words[1:]
	}
	if len(words) == 0 || strings.TrimPrefix(words[0], "bin/") != "tapedeck" {
		return 0
	}
	args := slices.DeleteFunc(words[1:], func(word string) bool { return word == "…" })
	if i := slices.Index(args, "--"); i >= 0 {
		args = args[:i]
	}
	trace, err := kong.Trace(parser, joinNegative(customary(args)))
	if err == nil {
		err = trace.Error
	}
	// A value may be left out or stand for one: NAME, SEQ, a file of the reader's.
	if err != nil && (strings.HasPrefix(err.Error(), "unknown") || strings.HasPrefix(err.Error(), "unexpected")) {
		t.Errorf("%s: %s: %v", page, strings.TrimSpace(line), err)
	}
	return 1
}

// shellWords returns the words of the first command of a line, without quotes, redirections
// and comments.
func shellWords(line string) []string {
	var words []string
	var word strings.Builder
	var quote rune
	begun, depth := false, 0
	end := func() {
		if begun {
			words = append(words, word.String())
		}
		word.Reset()
		begun = false
	}
	for _, c := range line {
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(c)
		case c == '\'' || c == '"':
			quote, begun = c, true
		case c == '(' || c == ')':
			depth += map[rune]int{'(': 1, ')': -1}[c]
		case depth > 0:
		case unicode.IsSpace(c):
			end()
		case c == '#' && !begun, strings.ContainsRune("|;&<>", c):
			end()
			return words
		default:
			begun = true
			word.WriteRune(c)
		}
	}
	end()
	return words
}

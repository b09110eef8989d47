package markdown

import "testing"

const page = "Text `[no](link.md)`.\n\n" +
	"<!-- file: a.yaml -->\n```yaml\na: 1\n```\n\n" +
	"1. A step.\n\n   <!-- not run: needs Docker -->\n   ```console\n   $ one \\\n       --two\n   output\n   $ three\n   ```\n\n" +
	"````md\n```sh\nno block\n```\n````\n"

func TestBlocks(t *testing.T) {
	want := []Block{
		{Line: 4, Language: "yaml", Text: "a: 1\n", File: "a.yaml"},
		{Line: 11, Language: "console", Text: "$ one \\\n    --two\noutput\n$ three\n", NotRun: "needs Docker"},
		{Line: 18, Language: "md", Text: "```sh\nno block\n```\n"},
	}
	got := Blocks(page)
	if len(got) != len(want) {
		t.Fatalf("%d blocks: %+v", len(got), got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("block %d: %+v, want %+v", i, got[i], want[i])
		}
	}
	if script := got[1].Script(); script != "one \\\n    --two\nthree\n" {
		t.Errorf("script %q", script)
	}
	if script := got[0].Script(); script != got[0].Text {
		t.Errorf("script of a block without prompts: %q", script)
	}
	if text := WithoutCode(page); text != "Text .\n\n<!-- file: a.yaml -->\n\n1. A step.\n\n   <!-- not run: needs Docker -->\n\n" {
		t.Errorf("without code: %q", text)
	}
}

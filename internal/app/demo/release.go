package demo

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/png"
	"time"
)

// Sessions of the scripted release, for a comparison: one that succeeds, and one in which the tests
// fail.
const (
	ReleaseSession = "demo-release"
	FailedSession  = "demo-release-failed"
)

const ms = time.Millisecond

// Release returns the output of a coding agent that releases a shop: a sub-agent reviews a
// migration, a tool returns a picture, the tests pass or fail.
func Release(session string, failed bool) []Line {
	a := &agent{session: session}
	a.begin("Release the shop: have the migration reviewed, look at the dashboard, run the tests, and deploy if all is well.")

	a.call(520*ms, "I will have the migration reviewed first.", "Task", "toolu_review",
		map[string]any{"description": "Review the migration", "subagent_type": "reviewer",
			"prompt": "Read migrations/0042_orders.sql and say whether it locks the table."},
		tokens{input: 12, cacheWrite: 8_412, output: 164})
	a.helper(640*ms, "toolu_review", "I read the migration.", "Read", "toolu_read",
		map[string]any{"file_path": "migrations/0042_orders.sql"}, tokens{input: 9, cacheWrite: 3_180, output: 71})
	a.result(180*ms, "toolu_read", "ALTER TABLE orders ADD COLUMN shipped_at timestamptz;\nCREATE INDEX CONCURRENTLY orders_shipped ON orders (shipped_at);",
		false, "toolu_review")
	a.helper(780*ms, "toolu_review", "Safe: the column has no default, and the index is built concurrently.", "", "", nil,
		tokens{input: 4, cacheRead: 3_180, cacheWrite: 240, output: 96})
	a.result(40*ms, "toolu_review", []any{map[string]any{"type": "text", "text": "Safe: the column has no default, and the index is built concurrently."}}, false, nil)

	a.call(430*ms, "The migration is safe. Now the dashboard.", "Read", "toolu_dashboard",
		map[string]any{"file_path": "dashboard.png"}, tokens{input: 6, cacheRead: 8_412, cacheWrite: 610, output: 88})
	a.result(260*ms, "toolu_dashboard", []any{map[string]any{"type": "image", "source": map[string]any{
		"type": "base64", "media_type": "image/png", "data": dashboard()}}}, false, nil)

	a.call(610*ms, "Latency is flat over the last hour. I run the tests.", "Bash", "toolu_tests",
		map[string]any{"command": "make test", "description": "Run the tests"},
		tokens{input: 6, cacheRead: 9_022, cacheWrite: 1_530, output: 92})
	if failed {
		a.result(2_300*ms, "toolu_tests", "ok   shop/cart      1.204s\nok   shop/catalog   0.871s\n"+
			"--- FAIL: TestRefund (0.31s)\n    refund_test.go:58: refunded 12.00, want 12.10\nFAIL shop/payment   1.022s\nmake: *** [test] Error 1", true, nil)
		a.call(700*ms, "TestRefund fails: the refund leaves out the tax of 0.10. I do not deploy.", "", "", nil,
			tokens{input: 5, cacheRead: 10_552, cacheWrite: 310, output: 74})
		a.end("Not deployed: TestRefund fails, since the refund leaves out the tax.", true)
		return a.lines
	}
	a.result(1_900*ms, "toolu_tests", "ok   shop/cart      1.187s\nok   shop/catalog   0.866s\nok   shop/payment   0.934s", false, nil)
	a.call(480*ms, "All tests pass. I deploy.", "Bash", "toolu_deploy",
		map[string]any{"command": "make deploy ENV=production", "description": "Deploy"},
		tokens{input: 5, cacheRead: 10_552, cacheWrite: 210, output: 83})
	a.result(1_100*ms, "toolu_deploy", "deployed shop 4.8.1 to production in 1.1s", false, nil)
	a.call(450*ms, "Version 4.8.1 is in production: the migration is safe, latency is flat, and all tests pass.", "", "", nil,
		tokens{input: 5, cacheRead: 10_762, cacheWrite: 160, output: 61})
	a.end("Version 4.8.1 is in production.", false)
	return a.lines
}

// dashboard returns a picture of a chart, as PNG in base64.
func dashboard() string {
	const width, height = 320, 120
	img := image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{
		color.RGBA{0xf7, 0xf7, 0xf8, 0xff}, color.RGBA{0xd5, 0xd8, 0xdd, 0xff}, color.RGBA{0x2f, 0x6f, 0xed, 0xff},
	})
	for y := 20; y < height; y += 25 {
		for x := range width {
			img.SetColorIndex(x, y, 1)
		}
	}
	for bar := range 24 {
		top := 70 - (bar*53)%17
		for x := bar*13 + 6; x < bar*13+14; x++ {
			for y := top; y < height-10; y++ {
				img.SetColorIndex(x, y, 2)
			}
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err) // writing to memory does not fail
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

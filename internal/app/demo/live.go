package demo

import (
	"context"
	"fmt"
	"io"
	"time"
)

// LiveSession is the session of the agent that Live plays.
const LiveSession = "demo-live"

// Live returns the output of a coding agent that watches a deployment for some time.
func Live(session string, d time.Duration) []Line {
	a := &agent{session: session}
	a.begin("Watch the deployment, and say when it is done.")
	var took time.Duration
	for i := 1; ; i++ {
		id := fmt.Sprintf("toolu_watch_%d", i)
		a.call(600*ms, fmt.Sprintf("I look at the deployment, the %s time.", ordinal(i)), "Bash", id,
			map[string]any{"command": "kubectl rollout status deploy/shop --timeout=4s", "description": "Watch the rollout"},
			tokens{input: 6, cacheRead: 8_000 + 120*i, cacheWrite: 120, output: 58})
		a.result(4_000*ms, id, fmt.Sprintf("%d of 12 pods are updated", min(i, 12)), false, nil)
		took = 0
		for _, l := range a.lines {
			took += l.After
		}
		if took >= d {
			break
		}
	}
	a.call(500*ms, "The deployment is done.", "", "", nil, tokens{input: 5, cacheRead: 9_000, cacheWrite: 90, output: 22})
	a.end("The deployment is done.", false)
	return a.lines
}

func ordinal(n int) string {
	switch {
	case n%10 == 1 && n%100 != 11:
		return fmt.Sprintf("%dst", n)
	case n%10 == 2 && n%100 != 12:
		return fmt.Sprintf("%dnd", n)
	case n%10 == 3 && n%100 != 13:
		return fmt.Sprintf("%drd", n)
	}
	return fmt.Sprintf("%dth", n)
}

// Print writes the lines, each at its time by an absolute schedule, until ctx ends.
func Print(ctx context.Context, w io.Writer, lines []Line) error {
	due := time.Now()
	for _, l := range lines {
		due = due.Add(l.After)
		if err := sleepUntil(ctx, due); err != nil {
			return err
		}
		if _, err := w.Write(append(l.Text, '\n')); err != nil {
			return err
		}
	}
	return nil
}

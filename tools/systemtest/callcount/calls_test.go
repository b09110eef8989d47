package callcount

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tapedeck/internal/fulltest"
	"tapedeck/internal/local/localtest"
)

func TestMain(m *testing.M) { localtest.Main(m) }

// files are those that a block passes from the cut on. In the folder ingest they are the stages from
// the blocker on.
var files = map[string][]string{
	"command": {"ingest/blocker.go", "ingest/sender.go", "ingest/acktracker.go", "ingest/tap/copier/offsets.go", "ingest/delivery/*/*.go", "internal/inflight/*.go"},
	"server":  {"ingest/delivery/*/*.go", "internal/inflight/*.go"},
}

// computing are the functions that are called for each block, too, and do not hand it or its outcome on:
// they encode, check, count, register, or run before the cut.
var computing = map[string]string{
	"ingest": "blocker.add blocker.full blocker.takeClosed blocker.waiting blocker.cutClosed " +
		"ackTracker.sent ackTracker.advance ackTracker.failure sender.failure",
	"ingest/tap/copier": "Offsets.Add",
	"internal/inflight": "Tracker.Add Tracker.Len Tracker.Settle Tracker.Settled Tracker.Watermark Tracker.advance",
	"ingest/delivery/upload": "Client.count Client.found Client.notify Client.post's closure Client.refusalOf Client.State Client.take " +
		"Client.unfit appendHead batchLimit.answered blockMemory.release blockMemory.take timeoutConn.Write Server.Blocks Server.admit Server.closing Server.count Server.dismiss " +
		"Server.present announced badRequest parseMessage readBody readMessage request.add request.check request.check's closure request.close " +
		"request.serve request.take's closure request.wait",
	"ingest/delivery/admission": "Publisher.admit Publisher.offer countersOf deletions.check importRun loadOf load.add offer.remove " +
		"unstored.add unstored.enter unstored.follow unstored.matters unstored.settle unstored.uncached",
	"ingest/delivery/spool": "Spool.passes",
	"ingest/delivery/jetstream": "Publisher.answered Publisher.due Publisher.readPartitions answered answers.arm answers.expect answers.notify answers.take answers.waiting beginPublish " +
		"BulkStreams.Add BulkStreams.sweep ahead.add bucket.other bucketOf bundle.add bundle.contents contents.String contents.add fill get isHistory shortName " +
		"bundle.message bundle.sent entrySize gathered.due gathered.open gathered.take gathered.take's closure numberOf " +
		"ofTenant replyOf weight",
}

// row is a row of the table: the functions that a block passes in one place, and those that its outcome
// passes.
type row struct {
	where, process, folder string
	there, back            []function
}

// places are the rows of the table: the process and the folder.
var places = map[string][2]string{
	"stream":               {"command", "ingest"},
	"spool of the command": {"command", "ingest/delivery/spool"},
	"upload, client":       {"command", "ingest/delivery/upload"},
	"upload, server":       {"server", "ingest/delivery/upload"},
	"admission":            {"server", "ingest/delivery/admission"},
	"spool of the server":  {"server", "ingest/delivery/spool"},
	"JetStream":            {"server", "ingest/delivery/jetstream"},
}

// TestCallsOfABlock counts the calls of a hundred blocks: those of a recording of 120 lines less those of
// one of 20.
func TestCallsOfABlock(t *testing.T) {
	fulltest.Long(t)
	table, stated := readTable(t)
	program := build(t)
	few, many := record(t, program, 20), record(t, program, 120)
	const blocks = 100
	perBlock := map[string]map[function]float64{}
	for process, data := range map[string][2]string{"command": {few.command, many.command}, "server": {few.server, many.server}} {
		before, after := readCalls(t, data[0], sources(t, process)), readCalls(t, data[1], sources(t, process))
		perBlock[process] = map[function]float64{}
		for f, n := range after {
			perBlock[process][f] = (float64(n) - float64(before[f])) / blocks
		}
	}

	// On a busy machine two blocks may be taken from a queue together.
	const each = 0.9
	handing := map[string]map[function]bool{"command": {}, "server": {}}
	for _, r := range table {
		for _, f := range slices.Concat(r.there, r.back) {
			handing[r.process][f] = true
			if n := perBlock[r.process][f]; n < each {
				t.Errorf("%s: %s of the %s is called %.2f times for a block; docs/architecture.md says that each block passes it", r.where, f, r.process, n)
			}
		}
	}
	used := map[function]bool{}
	for process, calls := range perBlock {
		for f, n := range calls {
			if n < each || handing[process][f] {
				continue
			}
			used[f] = true
			if !computes(f) {
				t.Errorf("%s of the %s is called %.2f times for a block: the table in docs/architecture.md has it if it hands the block or its outcome on, computing has it otherwise", f, process, n)
			}
		}
	}
	for folder, names := range computing {
		for _, name := range split(names) {
			if !used[function{folder, name}] {
				t.Errorf("%s %s is not called for each block: computing names it", folder, name)
			}
		}
	}
	if got := sums(table); got != stated {
		t.Errorf("the table of docs/architecture.md has %s, the text says %s", got, stated)
	}
}

// sources returns the files of a process.
func sources(t *testing.T, process string) (all []string) {
	t.Helper()
	for _, pattern := range files[process] {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, file := range found {
			if !strings.HasSuffix(file, "_test.go") {
				file, err = filepath.Rel(root, file)
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, file)
			}
		}
	}
	return all
}

// computes reports whether computing names a function.
func computes(f function) bool { return slices.Contains(split(computing[f.folder]), f.name) }

// split returns the names of a list, in which a literal is "Outer's closure".
func split(names string) []string {
	list := strings.Fields(strings.ReplaceAll(names, "'s closure", "'s_closure"))
	for i := range list {
		list[i] = strings.ReplaceAll(list[i], "'s_closure", "'s closure")
	}
	return list
}

var (
	named     = regexp.MustCompile("`([^`]+)`('s closure)?(?: \\(`([^`]+)`\\))?")
	statement = regexp.MustCompile(`These are (\d+) there and (\d+) back: (\d+)\. With ` + "`--nats`" + `, without a server between, they are (\d+) and (\d+)\.`)
)

// readTable reads the table of the document, and the numbers that its text states.
func readTable(t *testing.T) (table []row, stated string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs/architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(string(text), "\n#### The calls of a block\n")
	if !ok {
		t.Fatal("docs/architecture.md has no section about the calls of a block")
	}
	section, _, _ = strings.Cut(section, "\n#")
	left := maps.Clone(places)
	for line := range strings.Lines(section) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 3 {
			continue
		}
		where := strings.TrimSpace(cells[0])
		where, _, _ = strings.Cut(where, " (")
		place, known := left[where]
		if !known {
			continue
		}
		delete(left, where)
		r := row{where: where, process: place[0], folder: place[1]}
		r.there, r.back = functionsIn(cells[1], r.folder), functionsIn(cells[2], r.folder)
		table = append(table, r)
	}
	if len(left) > 0 {
		t.Fatalf("the table of docs/architecture.md has no row for %v", slices.Collect(maps.Keys(left)))
	}
	numbers := statement.FindStringSubmatch(strings.Join(strings.Fields(section), " "))
	if numbers == nil {
		t.Fatal("docs/architecture.md does not say how many calls there are")
	}
	return table, fmt.Sprintf("%s + %s = %s, with --nats %s + %s", numbers[1], numbers[2], numbers[3], numbers[4], numbers[5])
}

// functionsIn reads the functions that a cell names. One of another folder has its file behind it.
func functionsIn(cell, folder string) (all []function) {
	for _, m := range named.FindAllStringSubmatch(cell, -1) {
		f := function{folder, m[1] + m[2]}
		if m[3] != "" {
			f.folder = filepath.Dir(m[3])
		}
		all = append(all, f)
	}
	return all
}

// sums counts the calls of the table as the text of the document states them.
func sums(table []row) string {
	var there, back, thereNATS, backNATS int
	for _, r := range table {
		there += len(r.there)
		back += len(r.back)
		if r.where == "stream" || r.where == "spool of the command" || r.where == "JetStream" {
			thereNATS += len(r.there)
			backNATS += len(r.back)
		}
	}
	return fmt.Sprintf("%d + %d = %d, with --nats %d + %d", there, back, there+back, thereNATS, backNATS)
}

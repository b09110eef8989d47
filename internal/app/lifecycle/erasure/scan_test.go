package erasure_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ClickHouse/ch-go/compress"
	driver "github.com/ClickHouse/clickhouse-go/v2"

	"tapedeck/schema/clickhouse"
)

// scan returns the places of a data directory that hold a marker. It looks at
//   - every byte of every file as it is: files of JetStream and of the spool. A marker is
//     random, so it stands uncompressed where a block has it for the first time;
//   - what every file of ClickHouse holds when its compressed blocks are decompressed,
//     those of parts that are not active included;
//   - every column of every table of ClickHouse, rows that are marked as deleted included; of
//     system tables, which take long, only with system.
//
// A place is the file's kind, such as "TAPEDECK/msgs" or "store/raw.bin", or "table.column".
func scan(t *testing.T, dir, dsn, marker string, system bool) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return ignoreGone(err)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return ignoreGone(err)
		}
		lower := strings.ToLower(marker) // an index of words has them in lower case
		if bytes.Contains(data, []byte(marker)) || bytes.Contains(data, []byte(lower)) {
			found[kindOf(dir, path)] = path
		}
		if plain := decompress(data); bytes.Contains(plain, []byte(marker)) || bytes.Contains(plain, []byte(lower)) {
			found[kindOf(dir, path)+" decompressed"] = path
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	scanTables(t, dsn, marker, system, found)
	return found
}

func ignoreGone(err error) error {
	if os.IsNotExist(err) {
		return nil // it was removed meanwhile
	}
	return err
}

// kindOf returns the last two names of a path, the ids of parts left out.
func kindOf(dir, path string) string {
	rel, _ := filepath.Rel(dir, path)
	parts := strings.Split(filepath.ToSlash(rel), "/")
	switch {
	case parts[0] == "clickhouse" && len(parts) > 2 && parts[1] == "store":
		return "store/" + parts[len(parts)-1]
	case strings.HasSuffix(path, ".blk"):
		return strings.Join(parts[len(parts)-3:len(parts)-1], "/")
	}
	return strings.Join(parts[max(0, len(parts)-2):], "/")
}

// decompress returns what a file of compressed blocks of ClickHouse holds: a checksum of 16
// bytes, the method, the sizes of the block with these nine bytes and of its content. Blocks
// of other methods are of numbers, and left out.
func decompress(data []byte) []byte {
	const checksum, header = 16, 9
	var plain []byte
	for len(data) >= checksum+header {
		method := data[checksum]
		size, raw := int(binary.LittleEndian.Uint32(data[checksum+1:])), int(binary.LittleEndian.Uint32(data[checksum+5:]))
		if size < header || checksum+size > len(data) || raw > 1<<30 {
			return plain // not such a file, or its end is not written
		}
		switch method {
		case 0x02, 0x82, 0x90: // none, LZ4, ZSTD
			out := make([]byte, raw)
			n, err := io.ReadFull(compress.NewReader(bytes.NewReader(data[:checksum+size])), out)
			if err != nil {
				return plain
			}
			plain = append(plain, out[:n]...)
		}
		data = data[checksum+size:]
	}
	return plain
}

// scanTables looks into every column that can hold text.
func scanTables(t *testing.T, dsn, marker string, system bool, found map[string]string) {
	t.Helper()
	db, err := clickhouse.Open(dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var all []struct {
		Database string   `ch:"database"`
		Table    string   `ch:"table"`
		Columns  []string `ch:"columns"`
	}
	// Reading stack_trace interrupts the threads of the server by signals. For models ClickHouse waits for a bridge
	// process that is not there.
	err = db.Select(t.Context(), &all, `SELECT database, table, groupArray(name) AS columns FROM system.columns
		WHERE (type LIKE '%String%' OR type LIKE '%JSON%' OR type LIKE 'Map%') AND lower(database) != 'information_schema'
			AND (database != 'system' OR {system:Bool}) AND table NOT LIKE '%zookeeper%' AND table NOT IN ('numbers', 'zeros', 'one', 'stack_trace', 'models')
		GROUP BY database, table`, driver.Named("system", system))
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for _, table := range all {
		counts := make([]string, len(table.Columns))
		for i, name := range table.Columns {
			// The query itself does not have the marker.
			counts[i] = fmt.Sprintf("countIf(position(toString(`%s`), concat('%s', '%s')) > 0)", name, marker[:8], marker[8:])
		}
		var n []uint64
		query := fmt.Sprintf("SELECT [%s] FROM `%s`.`%s` SETTINGS apply_deleted_mask = 0, log_queries = 0", strings.Join(counts, ", "), table.Database, table.Table)
		if err := db.QueryRow(t.Context(), query).Scan(&n); err != nil {
			if table.Database != "system" {
				t.Fatalf("%s: %v", table.Table, err)
			}
			continue // of servers that are not there
		}
		for i, rows := range n {
			if read++; rows > 0 {
				found[table.Table+"."+table.Columns[i]] = fmt.Sprint(rows, " rows")
			}
		}
	}
	least := 80 // columns of text in the tables of the schema
	if system {
		least = 300
	}
	if read < least {
		t.Fatalf("%d columns were read, so something is not looked at", read)
	}
}

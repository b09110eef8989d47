package clickhouse

import "testing"

// The texts are errors as ClickHouse's documentation and its client print them.
func TestMessage(t *testing.T) {
	for text, want := range map[string]string{
		"Code: 60. DB::Exception: Table default.x does not exist. (UNKNOWN_TABLE)":                                                                                                      "Table default.x does not exist",
		"code: 60, message: Table default.x does not exist.":                                                                                                                            "Table default.x does not exist",
		"Code: 60. DB::Exception: Received from h:9000. DB::Exception: No x. (UNKNOWN_TABLE) (version 26.7.1.1 (official build))":                                                       "Received from h:9000. No x",
		"DB::Exception: No x. Stack trace:\n\n0. DB::Exception::Exception(int) @ 0x1 in /usr/bin/clickhouse\n1. ? @ 0x2":                                                                "No x",
		"std::exception. Code: 1001, type: std::__1::__fs::filesystem::filesystem_error, e.what() = filesystem error: in create_directories: Not a directory [\"/b/x\"] (version 26.7)": `filesystem error: in create_directories: Not a directory ["/b/x"]`,
		"Code: 40. DB::Exception: Checksum doesn't match: corrupted data: While reading part all_1_1_0. (CHECKSUM_DOESNT_MATCH)":                                                        "Checksum doesn't match: corrupted data",
		"no code at all": "no code at all",
	} {
		if got := Message(text); got != want {
			t.Errorf("%s\n%q, want %q", text, got, want)
		}
	}
}

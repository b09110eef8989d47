package backup

import (
	"strings"
	"testing"
)

func TestTargets(t *testing.T) {
	for text, want := range map[string]string{
		"daily/1":                      "File('daily/1')",
		"it's":                         `File('it\'s')`,
		"disk:slow/x":                  "Disk('slow', 'x')",
		"https://s3.example.com/b/pre": "S3('https://s3.example.com/b/pre', 'id', 'key')",
	} {
		got, err := ParseTarget(text, Keys{"id", "key"})
		if err != nil || got.sql != want || got.Name != text {
			t.Errorf("%q: %q, %v, want %q", text, got.sql, err, want)
		}
	}
	for text, says := range map[string]string{
		"": "the name is empty", strings.Repeat("a", 300): "255 bytes at most between two slashes", strings.Repeat("abc/", 300) + "x": "1000 in all", "a\n/b": "control character", "..": "without ..", "../x": "without ..", "a/../b": "without ..", "/etc/x": "not from the root", "a//b": "without ..",
		"x.tar.gz": "leave the ending out", "https://host/b/x.zip": "leave the ending out",
		"disk:/x": "disk:DISK/NAME", "disk:d": "empty", "disk:d/../x": "without ..", "s3://b/x": "s3:// is unknown", "ftp://x/y": "ftp:// is unknown",
		"https://host": "https://HOST", "https://u:p@host/b/x": "AWS_ACCESS_KEY_ID", "https://host/b/x?y=1": "without a query", "a\x00b": "control character",
	} {
		if _, err := ParseTarget(text, Keys{"id", "key"}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %q", text, err, says)
		}
	}
	for _, host := range []string{
		"169.254.169.254", "169.254.169.254:80", "169.254.0.1", "[fe80::1]", "[fe80::1%25eth0]", "[::ffff:169.254.169.254]", "[fd00:ec2::254]", "metadata.google.internal", "METADATA.google.internal.", "metadata",
		"100.100.100.200", "168.63.129.16", "0.0.0.0", "[::]", "224.0.0.1", "2852039166", "0xA9FEA9FE", "0xa9.0xfe.0xa9.0xfe", "0251.0376.0251.0376", "169.16689662",
	} {
		if got, err := ParseTarget("http://"+host+"/latest/meta-data", Keys{"id", "key"}); err == nil || !strings.Contains(err.Error(), "address") {
			t.Errorf("the host %s: %q, %v", host, got.sql, err)
		}
	}
	for _, host := range []string{"127.0.0.1:9000", "minio:9000", "10.0.0.7", "192.168.1.2", "[::1]:9000", "[fd12::1]", "s3.eu-central-1.amazonaws.com", "1password.example.com", "3.example"} {
		if _, err := ParseTarget("http://"+host+"/bucket/x", Keys{"id", "key"}); err != nil {
			t.Errorf("the host %s: %v", host, err)
		}
	}
	if _, err := ParseTarget("https://h/b/x", Keys{ID: "id"}); err == nil || !strings.Contains(err.Error(), "one half") {
		t.Errorf("half a key: %v", err)
	}
}

//go:build unix

package regularfile

import (
	"net"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestPipes: reading one would wait for ever.
func TestPipes(t *testing.T) {
	content := filepath.Join(t.TempDir(), "c")
	if err := syscall.Mkdir(content, 0o755); err != nil {
		t.Fatal(err)
	}
	pipe, socket := filepath.Join(content, "pipe.md"), filepath.Join(content, "socket.md")
	if err := syscall.Mkfifo(pipe, 0o644); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	for file, want := range map[string]string{pipe: "pipe.md: file is a named pipe", socket: "socket.md: file is a socket"} {
		if _, err := Text(content, file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v", err)
		}
		if _, err := Read(content, file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v", err)
		}
	}
}

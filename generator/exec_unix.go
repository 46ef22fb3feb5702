//go:build unix

package main

import (
	"os"
	"syscall"
)

// replaceProcess replaces this process by another program. Listeners close with it.
func replaceProcess(binary string, arguments []string) error {
	return syscall.Exec(binary, append([]string{binary}, arguments...), os.Environ())
}

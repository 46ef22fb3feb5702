package cluster

import (
	"syscall/js"
	"time"
)

// cpu is the processor time that the whole process around this program has used: Node's compiler and collector included.
func cpu() time.Duration {
	usage := js.Global().Get("process").Call("cpuUsage")
	return time.Duration(usage.Get("user").Int()+usage.Get("system").Int()) * time.Microsecond
}

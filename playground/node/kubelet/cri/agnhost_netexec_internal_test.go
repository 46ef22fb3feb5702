//go:build !js || cel

package cri

import (
	"reflect"
	"testing"
)

func TestNetexecProgram(t *testing.T) {
	got := NewProgram("registry.k8s.io/e2e-test-images/agnhost:2.53", []string{"/agnhost", "netexec", "--http-port=80"}, nil)
	want := Program{Forever: true, Serves: true, Ports: []int32{80}, CPU: milli, Memory: 8 << 20, Endpoints: netexec{http: 80, udp: 8081, sctp: -1},
		Says: []string{"Started HTTP server on port 80", "Started UDP server on port  8081"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

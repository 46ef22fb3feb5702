// Package conformance holds the port against the clients that people use: the real kubectl, client-go and
// controller-runtime, unchanged. It is a module of its own because it needs them.
package conformance

import (
	"os"
	"testing"

	"k8s.io/component-base/cli"
	"k8s.io/kubectl/pkg/cmd"
	"k8s.io/kubectl/pkg/cmd/util"
)

// asKubectl has this program be kubectl, in the environment of the process that a test starts.
const asKubectl = "KUBEWALK_TEST_KUBECTL"

func TestMain(m *testing.M) {
	if os.Getenv(asKubectl) != "" {
		// As k8s.io/kubernetes/cmd/kubectl does.
		if err := cli.RunNoErrOutput(cmd.NewDefaultKubectlCommand()); err != nil {
			util.CheckErr(err)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

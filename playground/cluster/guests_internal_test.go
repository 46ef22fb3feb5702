//go:build !js || cel

package cluster

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/node/metrics"
)

// TestPodPrograms is that the list which the page has, too, names all programs that no input starts, and no others.
func TestPodPrograms(t *testing.T) {
	config := DefaultConfig()
	config.Operators, config.Metrics, config.Network = OperatorNames, true, true
	c := New(config, 1)
	defer c.Close()
	c.RunUntil(operatorsAt + 500*time.Millisecond)
	listed := strings.Fields(podPrograms)
	for _, name := range append(slices.Clone(OperatorNames), metrics.Name) {
		p := c.byName[name]
		switch {
		case p == nil:
			t.Errorf("%s: no input can name it", name)
		case p.running():
			if slices.Contains(listed, name) {
				t.Errorf("%s runs without a Pod", name)
			}
		case !slices.Contains(listed, name):
			t.Errorf("%s does not run, and is not listed", name)
		default:
			if err := p.start(); !errors.Is(err, errStartedByPod) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	for _, name := range listed {
		if c.byName[name] == nil {
			t.Errorf("%s is listed, and there is none", name)
		}
	}
}

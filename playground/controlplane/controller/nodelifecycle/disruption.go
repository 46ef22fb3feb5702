package nodelifecycle

import (
	"sort"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/sim"
)

// ZoneState says how bad it is in a zone.
type ZoneState string

const (
	stateInitial           ZoneState = "Initial"
	stateNormal            ZoneState = "Normal"
	stateFullDisruption    ZoneState = "FullDisruption"    // no node is ready
	statePartialDisruption ZoneState = "PartialDisruption" // too many are not
)

// labelNodeDisruptionExclusion leaves a node out of its zone's count.
const labelNodeDisruptionExclusion = "node.kubernetes.io/exclude-disruption"

// GetZoneKey names the zone of a node; "" when its labels name none.
// Upstream: k8s.io/component-helpers/node/topology GetZoneKey.
func GetZoneKey(node *corev1.Node) string {
	region, zone := node.Labels[corev1.LabelTopologyRegion], node.Labels[corev1.LabelTopologyZone]
	if region == "" && zone == "" {
		return ""
	}
	return region + ":\x00:" + zone
}

func (nc *Controller) addPodEvictorForNewZone(p *sim.Proc, node *corev1.Node) {
	zone := GetZoneKey(node)
	if _, found := nc.zoneStates[zone]; found {
		return
	}
	nc.zoneStates[zone] = stateInitial
	nc.zoneNoExecuteTainter[zone] = NewRateLimitedTimedQueue(nc.EvictionInterval)
	p.Logger().Info("Initializing eviction metric for zone", "zone", zone)
}

// ComputeZoneState judges a zone by the Ready conditions of its nodes. Up to
// two nodes may fail without the zone counting as disrupted, unless all do.
func (nc *Controller) ComputeZoneState(ready []*corev1.NodeCondition) (notReady int, state ZoneState) {
	for _, c := range ready {
		if c == nil || c.Status != corev1.ConditionTrue {
			notReady++
		}
	}
	switch {
	case notReady > 0 && notReady == len(ready):
		return notReady, stateFullDisruption
	case notReady > 2 && notReady*100 >= nc.UnhealthyZonePercent*len(ready):
		return notReady, statePartialDisruption
	}
	return notReady, stateNormal
}

// evictionInterval is the rate of a zone in that state; 0 stops eviction.
func (nc *Controller) evictionInterval(zoneSize int, state ZoneState) time.Duration {
	if state != statePartialDisruption {
		return nc.EvictionInterval
	}
	if zoneSize > nc.LargeClusterThreshold {
		return nc.SecondaryInterval
	}
	return 0
}

func (nc *Controller) setLimiterInZone(zone string, zoneSize int, state ZoneState) {
	nc.zoneNoExecuteTainter[zone].SwapLimiter(nc.evictionInterval(zoneSize, state), nc.kernel.Elapsed())
}

// handleDisruption changes the rates at which nodes are tainted. When all zones
// are down nothing is evicted at all, and taints are taken back: more likely
// than every machine being dead is that the control plane is cut off.
// Upstream: node_lifecycle_controller.go, handleDisruption.
func (nc *Controller) handleDisruption(p *sim.Proc, zones map[string][]*corev1.NodeCondition, nodes []*corev1.Node) {
	log := p.Logger()
	states := map[string]ZoneState{}
	allAreDisrupted, allWereDisrupted := true, true
	for _, zone := range sortedKeys(zones) {
		_, states[zone] = nc.ComputeZoneState(zones[zone])
		allAreDisrupted = allAreDisrupted && states[zone] == stateFullDisruption
		if _, had := nc.zoneStates[zone]; !had {
			log.Error(nil, "Setting initial state for unseen zone", "zone", zone)
			nc.zoneStates[zone] = stateInitial
		}
	}
	for _, zone := range sortedKeys(nc.zoneStates) {
		if _, have := zones[zone]; !have {
			delete(nc.zoneStates, zone)
			continue
		}
		allWereDisrupted = allWereDisrupted && nc.zoneStates[zone] == stateFullDisruption
	}
	known := sortedKeys(nc.zoneStates)
	switch {
	case allAreDisrupted && allWereDisrupted:
	case allAreDisrupted:
		log.Info("Controller detected that all Nodes are not-Ready. Entering master disruption mode")
		for _, node := range nodes {
			if _, err := nc.markNodeAsReachable(p, node); err != nil {
				log.Error(nil, "Failed to remove taints from Node", "node", node.Name)
			}
		}
		for _, zone := range known {
			nc.zoneNoExecuteTainter[zone].SwapLimiter(0, p.Now())
			nc.zoneStates[zone] = stateFullDisruption
		}
	case allWereDisrupted:
		log.Info("Controller detected that some Nodes are Ready. Exiting master disruption mode")
		// While nothing could be heard, nobody was silent.
		for _, node := range nodes {
			if health := nc.nodeHealth[node.Name]; health != nil {
				health.probeTimestamp, health.readyTransitionTimestamp = p.Time(), p.Time()
			}
		}
		for _, zone := range known {
			nc.setLimiterInZone(zone, len(zones[zone]), states[zone])
			nc.zoneStates[zone] = states[zone]
		}
	default:
		for _, zone := range known {
			if nc.zoneStates[zone] == states[zone] {
				continue
			}
			log.Info("Controller detected that zone is now in new state", "zone", zone, "newState", string(states[zone]))
			nc.setLimiterInZone(zone, len(zones[zone]), states[zone])
			nc.zoneStates[zone] = states[zone]
		}
	}
}

func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

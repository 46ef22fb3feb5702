//go:build js && !cel

package cluster

// connections are in the larger build alone: see Config.Connections.
type connections struct{}

func (c *Cluster) openConnection(i int) {
	c.results[i].Done, c.results[i].Error = true, noConnections
	c.tell(APIRequest, "", noConnections)
}

func (c *Cluster) typeTo(string, string) bool { return false }

const noConnections = "connections are absent here"

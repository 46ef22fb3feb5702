package httpapi

import (
	"encoding/base64"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// channels are a WebSocket's: each message begins with a byte that names its channel. In a subprotocol with base64, that is a digit, and the
// rest of the message is encoded. Upstream: streaming/pkg/httpstream/wsstream/conn.go.
type channels struct {
	*websocket.Conn
	writing sync.Mutex
}

// openChannels makes a WebSocket of the request. A client that asks for none of the subprotocols is refused, and one that names none gets
// plain messages. nil says that the request has been answered.
func openChannels(w http.ResponseWriter, r *http.Request, protocols []string) *channels {
	wanted := websocket.Subprotocols(r)
	if len(wanted) > 0 && !slices.ContainsFunc(wanted, func(name string) bool { return slices.Contains(protocols, name) }) {
		w.WriteHeader(http.StatusForbidden)
		return nil
	}
	conn, err := (&websocket.Upgrader{Subprotocols: protocols, CheckOrigin: anyOrigin}).Upgrade(w, r, nil)
	if err != nil {
		return nil
	}
	conn.SetReadLimit(maxBody)
	return &channels{Conn: conn}
}

func (c *channels) inBase64() bool { return strings.Contains(c.Subprotocol(), "base64") }

// receive waits for the next message that names a channel. Base64 that cannot be decoded is an empty message.
func (c *channels) receive() (channel byte, data []byte, err error) {
	for {
		_, message, err := c.ReadMessage()
		if err != nil {
			return 0, nil, err
		}
		if len(message) == 0 {
			continue
		}
		channel, data = message[0], message[1:]
		if c.inBase64() {
			channel -= '0'
			data, _ = base64.StdEncoding.DecodeString(string(data))
		}
		return channel, data, nil
	}
}

// send writes a message.
func (c *channels) send(channel byte, data string) error {
	kind, message := websocket.BinaryMessage, append([]byte{channel}, data...)
	if c.inBase64() {
		kind, message = websocket.TextMessage, base64.StdEncoding.AppendEncode([]byte{'0' + channel}, []byte(data))
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	return c.WriteMessage(kind, message)
}

func (c *channels) close() {
	c.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseNormalClosure, ""), time.Now().Add(time.Second))
	c.Close()
}

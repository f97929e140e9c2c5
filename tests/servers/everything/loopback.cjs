// Preloaded into a server that cannot be told its host: it listens on 127.0.0.1 and nowhere else.
const { Server } = require("node:net");

const { listen } = Server.prototype;
Server.prototype.listen = function (port, ...rest) {
  return listen.call(this, { port, host: "127.0.0.1" }, ...rest);
};

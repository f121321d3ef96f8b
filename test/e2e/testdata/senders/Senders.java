/* Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0 */

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * A thread that sends 3 bytes in one method for each that it sends in another, by a stream and by a channel, and one that
 * reads them in a third. All over loopback; prints the bytes of each method, from when they are compiled.
 */
public final class Senders {
    private static final int WARM = 20_000, ROUNDS = 10_000, PIECE = 200;
    private static long received;

    private Senders() {}

    static int much(OutputStream to, byte[] what) throws IOException {
        to.write(what);
        return what.length;
    }

    static int little(SocketChannel to, ByteBuffer what) throws IOException {
        what.clear();
        return to.write(what);
    }

    static int take(InputStream from, byte[] into) throws IOException {
        return from.read(into);
    }

    static void receive(Socket s) {
        byte[] into = new byte[65536];
        try {
            InputStream from = s.getInputStream();
            for (int n = take(from, into); n >= 0; n = take(from, into)) {
                synchronized (Senders.class) {
                    received += n;
                }
            }
        } catch (IOException e) {
            e.printStackTrace();
        }
    }

    static long[] rounds(int n, OutputStream stream, SocketChannel channel, byte[] bytes, ByteBuffer buffer) throws IOException {
        long[] sent = new long[2];
        for (int i = 0; i < n; i++) {
            sent[0] += much(stream, bytes);
            sent[1] += little(channel, buffer);
        }
        return sent;
    }

    public static void main(String[] args) throws Exception {
        try (ServerSocket l = new ServerSocket(0, 2, InetAddress.getLoopbackAddress())) {
            InetSocketAddress at = new InetSocketAddress(l.getInetAddress(), l.getLocalPort());
            Socket to = new Socket(at.getAddress(), at.getPort());
            Thread first = new Thread(() -> { try { receive(l.accept()); } catch (IOException e) { e.printStackTrace(); } });
            first.start();
            first.setName("reader");
            SocketChannel channel = SocketChannel.open(at);
            Thread second = new Thread(() -> { try { receive(l.accept()); } catch (IOException e) { e.printStackTrace(); } });
            second.start();
            byte[] bytes = new byte[3 * PIECE];
            ByteBuffer buffer = ByteBuffer.allocateDirect(PIECE);
            long[] sent = rounds(WARM + ROUNDS, to.getOutputStream(), channel, bytes, buffer);
            to.close();
            channel.close();
            first.join();
            second.join();
            System.out.println("Senders.much " + sent[0]);
            System.out.println("Senders.little " + sent[1]);
            System.out.println("Senders.take " + received);
        }
    }
}

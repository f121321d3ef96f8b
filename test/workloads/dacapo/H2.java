// Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Random;

/** H2: each operation is a transfer between two accounts of an in-memory bank, one transaction, in a fixed lock order. */
public final class H2 {
    private static final String URL = "jdbc:h2:mem:bank;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=20000";
    private static final int ACCOUNTS = 1000;

    private static long transfer(Connection c, PreparedStatement add, PreparedStatement read, Random r)
            throws SQLException {
        int a = r.nextInt(ACCOUNTS - 1);
        int b = a + 1 + r.nextInt(ACCOUNTS - a - 1);
        int amount = r.nextInt(200) - 100;
        for (int side = 0; side < 2; side++) {
            add.setInt(1, side == 0 ? amount : -amount);
            add.setInt(2, side == 0 ? a : b);
            add.executeUpdate();
        }
        read.setInt(1, r.nextInt(10));
        long sum;
        try (ResultSet rows = read.executeQuery()) {
            rows.next();
            sum = rows.getLong(1);
        }
        c.commit();
        return sum;
    }

    public static void main(String[] args) throws Exception {
        try (Connection c = DriverManager.getConnection(URL); Statement s = c.createStatement()) {
            s.execute("create table account(id int primary key, branch int, balance bigint)");
            s.execute("create index by_branch on account(branch)");
            s.execute("insert into account select x, mod(x, 10), 1000 from system_range(0, " + (ACCOUNTS - 1) + ")");
        }
        Load.run(args, thread -> {
            Connection c = DriverManager.getConnection(URL);
            c.setAutoCommit(false);
            PreparedStatement add = c.prepareStatement("update account set balance = balance + ? where id = ?");
            PreparedStatement read = c.prepareStatement("select sum(balance) from account where branch = ?");
            Random r = new Random(thread);
            return i -> transfer(c, add, read, r);
        });
    }
}
